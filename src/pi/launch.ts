import { optionDefaults } from "../protocol/options.ts";

/** How pi is started: everything that the command line and the client's options decide. */
export interface Launch {
  /** The words of the pi command, without the ones that the bridge appends. No shell reads them. */
  command: readonly string[];
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  session?: "new" | "last" | { file: string } | { id: string } | undefined;
  name?: string | undefined;
  trust?: "approve" | "no-approve" | undefined;
  /** The last word hands what follows to a shell (`ssh host`): the appended words are quoted for it. */
  remoteShell: boolean;
  /** Milliseconds until the first `get_state` must be answered. */
  startTimeoutMs: number;
  /** The longest line, in bytes, that is sent to pi. */
  maxCommandBytes: number;
  /** Make an image file that is too large for that smaller, instead of refusing it. */
  shrinkImages: boolean;
}

/** What holds where neither the command line nor the client says otherwise. */
export const DEFAULT_LAUNCH: Omit<Launch, "cwd"> = {
  command: [...optionDefaults.command],
  args: [],
  env: {},
  remoteShell: optionDefaults.remoteShell,
  startTimeoutMs: optionDefaults.startTimeoutMs,
  maxCommandBytes: optionDefaults.maxCommandBytes,
  shrinkImages: optionDefaults.shrinkImages,
};

/** The session that pi is to open, when it is started again. */
export interface Resume {
  id: string;
  /** Absent when pi had not written the session to disk yet: it does so with the first answer. */
  file?: string | undefined;
}

/** The user's own words that choose a session, and how many words each takes. */
const SESSION_FLAGS = new Map([
  ["-c", 1],
  ["--continue", 1],
  ["-r", 1],
  ["--resume", 1],
  ["--session", 2],
  ["--session-id", 2],
  ["--fork", 2],
]);

/** All words of the pi command. With `resume`, it is the session to go on with, whatever the user's words say. */
export function launchWords(launch: Launch, resume?: Resume): string[] {
  const inMemory = launch.args.includes("--no-session");
  const args = resume ? withoutSessionFlags(launch.args) : launch.args;
  const session = resume ? (inMemory ? [] : resumeWords(resume)) : sessionWords(launch.session);
  const name = launch.name !== undefined && !resume ? ["--name", launch.name] : [];
  const trust = launch.trust ? [`--${launch.trust}`] : [];
  const appended = ["--mode", "rpc", ...args, ...session, ...name, ...trust];
  return [...launch.command, ...(launch.remoteShell ? appended.map(quoteForShell) : appended)];
}

function sessionWords(session: Launch["session"]): string[] {
  if (session === undefined || session === "new") return [];
  if (session === "last") return ["--continue"];
  return ["--session", "file" in session ? session.file : session.id];
}

function resumeWords({ id, file }: Resume): string[] {
  return file ? ["--session", file] : ["--session-id", id];
}

export function withoutSessionFlags(args: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const width = SESSION_FLAGS.get(word);
    if (width === undefined) kept.push(word);
    else at += width - 1;
  }
  return kept;
}

/** One word for a POSIX shell. */
function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
