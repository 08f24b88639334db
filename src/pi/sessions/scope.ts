import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { agentDir, expandHome } from "../agent-dir.ts";
import type { Launch } from "../launch.ts";

/** Where session files are looked for, and whose count. */
export interface Scope {
  folders: readonly string[];
  /** A folder that sessions of all working directories share: only those of this one count. */
  cwd?: string;
}

type Place = Pick<Launch, "args" | "cwd">;

/**
 * The sessions of one working directory, or all, where pi looks for them: in the folder that `--session-dir`,
 * `PI_CODING_AGENT_SESSION_DIR` or the setting `sessionDir` names, else in a folder for each working directory.
 * Missing folders are left out.
 */
export function sessionScope(which: { cwd: string } | "all", launch: Place, env: NodeJS.ProcessEnv): Scope {
  const cwd = real(which === "all" ? launch.cwd : which.cwd);
  const agent = resolve(launch.cwd, agentDir(env));
  const own = ownFolder(agent, cwd);
  const shared = sharedFolder(launch, agent, cwd, env);
  if (shared === undefined) return { folders: which === "all" ? allFolders(agent) : present(own) };
  // As pi does: its own folder, named outright, is nobody else's.
  const isShared = which !== "all" && shared !== own;
  return { folders: present(shared), ...(isShared && { cwd }) };
}

/** pi's process has the real path as its working directory, and names the folder after it. */
function ownFolder(agent: string, cwd: string): string {
  return join(agent, "sessions", `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`);
}

function sharedFolder(launch: Place, agent: string, cwd: string, env: NodeJS.ProcessEnv): string | undefined {
  const at = launch.args.lastIndexOf("--session-dir");
  const given =
    (at === -1 ? undefined : launch.args[at + 1]) || env.PI_CODING_AGENT_SESSION_DIR || settingOf(agent, cwd);
  return given ? resolve(launch.cwd, expandHome(given, env)) : undefined;
}

/** The project's setting comes before the person's, and pi reads it before it asks whether the project is trusted. */
function settingOf(agent: string, cwd: string): string | undefined {
  for (const file of [join(cwd, ".pi", "settings.json"), join(agent, "settings.json")]) {
    const { sessionDir } = readObject(file);
    if (typeof sessionDir === "string") return sessionDir;
  }
  return undefined;
}

function allFolders(agent: string): string[] {
  const root = join(agent, "sessions");
  try {
    return readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() || entry.isSymbolicLink() ? [join(root, entry.name)] : [],
    );
  } catch {
    return [];
  }
}

function present(folder: string): string[] {
  return existsSync(folder) ? [folder] : [];
}

function readObject(file: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

/** The path without symbolic links; as it is when it does not exist. */
export function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
