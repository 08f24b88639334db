import { homedir } from "node:os";
import { join, parse, resolve } from "node:path";
import type { Launch } from "./launch.ts";

/** Where pi keeps its settings, trust decisions and sessions. */
export function agentDir(env: NodeJS.ProcessEnv): string {
  const given = env.PI_CODING_AGENT_DIR;
  return given ? expandHome(given, env) : join(home(env), ".pi", "agent");
}

/** Where pi keeps its sessions: the folder that the launch names, or the one with a folder for each working directory. */
export function sessionRoot(launch: Pick<Launch, "args" | "cwd">, env: NodeJS.ProcessEnv): string {
  const at = launch.args.lastIndexOf("--session-dir");
  const given = (at === -1 ? undefined : launch.args[at + 1]) ?? env.PI_CODING_AGENT_SESSION_DIR;
  return given ? resolve(launch.cwd, expandHome(given, env)) : join(agentDir(env), "sessions");
}

export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  return path.replace(/^~(?=[/\\]|$)/, home(env));
}

export function home(env: NodeJS.ProcessEnv): string {
  try {
    return env.HOME ?? homedir();
  } catch {
    // A user whom the system does not know, as in a container.
    return parse(process.execPath).root;
  }
}
