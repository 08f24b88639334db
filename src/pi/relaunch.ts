import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Launch, withoutSessionFlags } from "./launch.ts";

/**
 * The launch for a stored session in another folder. The words that choose a session fall away, `--no-session` with them;
 * words that name something relative to the old folder go on naming it.
 */
export function launchIn(launch: Launch, cwd: string): Launch {
  const args = withoutSessionFlags(launch.args).filter((word) => word !== "--no-session");
  return {
    ...launch,
    cwd,
    session: undefined,
    command: launch.command.map((word) => pinned(word, launch.cwd)),
    args: args.map((word, at) =>
      args[at - 1] === "--session-dir" && !word.startsWith("~") ? resolve(launch.cwd, word) : pinned(word, launch.cwd),
    ),
  };
}

function pinned(word: string, cwd: string): string {
  if (word.startsWith("-") || isAbsolute(word) || !/[/\\]/.test(word)) return word;
  const path = resolve(cwd, word);
  return existsSync(path) ? path : word;
}
