import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { agentDir, expandHome, home } from "./agent-dir.ts";
import { elsewhere } from "./elsewhere.ts";
import { PiError } from "./error.ts";
import type { Launch } from "./launch.ts";

/**
 * Checks what pi itself does not: a session file that is not there would silently begin an empty conversation.
 * @throws PiError `unavailable`
 */
export function preflight(launch: Launch, env: NodeJS.ProcessEnv): void {
  const file = chosenFile(launch, env);
  if (file === undefined || existsSync(file)) return;
  throw new PiError(`The session file ${file} does not exist.`, {
    kind: "unavailable",
    reason: "session_missing",
    hint: "pi would begin an empty session in its place. Name another file, or leave out the option `session`.",
    command: [...launch.command],
  });
}

/** What is not as the person may think, though pi runs. */
export function startWarnings(launch: Launch, env: NodeJS.ProcessEnv): PiError[] {
  if (elsewhere(launch) !== undefined) return [];
  return [foreignSession(launch, env), untrusted(launch, env)].filter((warning) => warning !== undefined);
}

/** pi runs, but there is nobody to talk to. */
export function noModel(command: readonly string[]): PiError {
  return new PiError("pi has no model: no provider is logged in, and no API key is set.", {
    kind: "unavailable",
    reason: "no_model",
    hint: NO_MODEL_HINT,
    command: [...command],
  });
}

export const NO_MODEL_HINT =
  "Log in once in pi's own terminal (pi, then /login), or start the editor with a provider's API key in its environment.";

/** The session file that the option or pi's own `--session` names; undefined for an id. */
function chosenFile(launch: Launch, env: NodeJS.ProcessEnv): string | undefined {
  if (elsewhere(launch) !== undefined || launch.args.includes("--no-session")) return undefined;
  const at = launch.args.indexOf("--session");
  const given =
    typeof launch.session === "object" && "file" in launch.session
      ? launch.session.file
      : at === -1
        ? undefined
        : launch.args[at + 1];
  // pi takes a word for a path when it looks like one, and for an id otherwise.
  if (given === undefined || !(given.includes("/") || given.includes("\\") || given.endsWith(".jsonl")))
    return undefined;
  return resolve(launch.cwd, expandHome(given, env));
}

function foreignSession(launch: Launch, env: NodeJS.ProcessEnv): PiError | undefined {
  const file = chosenFile(launch, env);
  const cwd = file === undefined ? undefined : sessionCwd(file);
  if (cwd === undefined || real(cwd) === real(launch.cwd)) return undefined;
  return new PiError(`The session belongs to ${cwd}: pi works there, not in ${launch.cwd}.`, {
    kind: "unavailable",
    reason: "session_elsewhere",
    hint: "Start pi with `--fork` to take a copy of the conversation into this folder.",
    command: [...launch.command],
  });
}

/** The working directory in the header of a session file. */
export function sessionCwd(file: string): string | undefined {
  const bytes = Buffer.alloc(8192);
  try {
    const handle = openSync(file, "r");
    const length = readSync(handle, bytes, 0, bytes.length, 0);
    closeSync(handle);
    const header = JSON.parse(bytes.toString("utf8", 0, length).split("\n")[0] ?? "");
    return typeof header.cwd === "string" ? header.cwd : undefined;
  } catch {
    return undefined;
  }
}

/** What pi loads from a project only when the person has said that it is trusted. */
const GUARDED = [
  "settings.json",
  "mcp.json",
  "extensions",
  "skills",
  "prompts",
  "themes",
  "SYSTEM.md",
  "APPEND_SYSTEM.md",
];

function untrusted(launch: Launch, env: NodeJS.ProcessEnv): PiError | undefined {
  const words = [...launch.args, ...(launch.trust ? [`--${launch.trust}`] : [])];
  if (words.some((word) => ["-a", "--approve", "-na", "--no-approve"].includes(word))) return undefined;
  if (!hasGuardedResources(launch.cwd, home(env)) || trustDecision(agentDir(env), launch.cwd) !== undefined)
    return undefined;
  return new PiError(
    `pi has left out this project's own settings, extensions, skills and prompts: ${launch.cwd} is not trusted.`,
    {
      kind: "unavailable",
      reason: "untrusted",
      hint: 'Set the option `trust` to "approve" to load them or to "no-approve" to go without, or decide once in pi\'s own terminal.',
      command: [...launch.command],
    },
  );
}

function hasGuardedResources(cwd: string, home: string): boolean {
  if (GUARDED.some((name) => existsSync(join(cwd, ".pi", name)))) return true;
  return upwards(real(cwd)).some((folder) => folder !== real(home) && existsSync(join(folder, ".agents", "skills")));
}

/** What pi has stored for the folder, or for the nearest one above it, or as its default; undefined while nothing decides. */
function trustDecision(folder: string, cwd: string): boolean | undefined {
  const decisions = readObject(join(folder, "trust.json"));
  for (const above of upwards(real(cwd))) if (typeof decisions[above] === "boolean") return decisions[above];
  const standard = readObject(join(folder, "settings.json")).defaultProjectTrust;
  return standard === "always" ? true : standard === "never" ? false : undefined;
}

function readObject(file: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

function upwards(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
