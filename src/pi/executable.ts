import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { PiError } from "./error.ts";
import type { Launch } from "./launch.ts";

/**
 * Checks that there is a folder for pi to work in: without one the system says that the command was not found.
 * @throws PiError `unavailable`
 */
export function checkFolder(launch: Launch): void {
  if (isDirectory(launch.cwd)) return;
  const what = existsSync(launch.cwd) ? "is not a folder" : "does not exist";
  throw new PiError(`pi cannot be started: the working directory ${launch.cwd} ${what}.`, {
    kind: "unavailable",
    reason: "cwd_missing",
    hint: "Open an existing folder, or set the option `cwd` (flag --cwd).",
    command: [...launch.command],
  });
}

/**
 * The file that the command's first word names, looked up as a shell would, but with the reasons of a failure.
 * @throws PiError `unavailable`
 */
export function findExecutable(launch: Launch, env: NodeJS.ProcessEnv): string {
  const [word = ""] = launch.command;
  const path = env.PATH ?? env.Path ?? "";
  const candidates = /[/\\]/.test(word)
    ? [isAbsolute(word) ? word : resolve(launch.cwd, word)]
    : path.split(delimiter).flatMap((folder) => (folder ? [join(folder, word)] : []));
  if (/[/\\]/.test(word) && candidates.some(isDirectory)) {
    throw new PiError(`pi cannot be started: ${word} is a folder.`, {
      kind: "unavailable",
      reason: "not_executable",
      hint: "Name the executable in it, with --pi or the option `command`.",
      command: [...launch.command],
    });
  }
  const files = candidates.flatMap((file) => withExtensions(file, env)).filter(isFile);
  const runnable = files.find(isRunnable);
  if (runnable) return runnable;
  const [blocked] = files;
  if (blocked) {
    throw new PiError(`pi cannot be started: ${blocked} is not executable.`, {
      kind: "unavailable",
      reason: "not_executable",
      hint: `Make it executable (chmod +x ${blocked}), or name another command with --pi or the option \`command\`.`,
      command: [...launch.command],
      path,
    });
  }
  throw new PiError(`pi cannot be started: "${word}" was not found${/[/\\]/.test(word) ? "" : " on the PATH"}.`, {
    kind: "unavailable",
    reason: "not_found",
    hint:
      "Install pi (npm install -g @earendil-works/pi-coding-agent), or name its full path with --pi or the option " +
      "`command`. An editor started from the desktop often has a shorter PATH than your shell.",
    command: [...launch.command],
    path,
  });
}

function withExtensions(file: string, env: NodeJS.ProcessEnv): string[] {
  if (process.platform !== "win32") return [file];
  return [file, ...(env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";").map((extension) => file + extension)];
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
