import { IgnoreRules } from "./ignore-rules.ts";
import type { Listing } from "./listing.ts";

/** How long git may look for files that it does not track. It does so in the whole folder. */
const TIMEOUT_MS = 15_000;
/** Some million paths. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * The files that git tracks, and those that it neither tracks nor ignores. A `.ignore` file, as rg and fd read it, takes
 * away from both.
 *
 * @returns undefined when there is no git here, or the folder is in no work tree of its
 */
export async function gitFiles(
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Listing | undefined> {
  // Two at once: the index of a large repository and its folders take equally long to read.
  const [tracked, others] = await Promise.all([
    list(["--cached", "--recurse-submodules"], folder, env, signal),
    list(["--others", "--exclude-standard"], folder, env, signal),
  ]);
  if (tracked.failed || (others.failed && !others.timedOut)) return undefined;
  const paths = others.timedOut ? tracked.paths : tracked.paths.concat(others.paths);
  return {
    paths: await withoutIgnored(folder, paths),
    cut: others.timedOut ? `git has found no untracked files within ${TIMEOUT_MS / 1000} s.` : undefined,
  };
}

async function list(options: string[], cwd: string, env: NodeJS.ProcessEnv, cancelSignal: AbortSignal) {
  // Loaded at the first use: it would take a fifth of the bridge's start.
  const { execa } = await import("execa");
  // A repository's own configuration may name a program as its file monitor: not for a list of names.
  const { stdout, failed, timedOut } = await execa(
    "git",
    ["-c", "core.fsmonitor=false", "ls-files", "-z", ...options],
    {
      cwd,
      env,
      extendEnv: false,
      stdin: "ignore",
      stderr: "ignore",
      reject: false,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
      cancelSignal,
    },
  );
  return { paths: (stdout ?? "").split("\0").filter((path) => path !== ""), failed, timedOut };
}

async function withoutIgnored(folder: string, paths: string[]): Promise<string[]> {
  const files = paths.filter((path) => path === ".ignore" || path.endsWith("/.ignore"));
  if (files.length === 0) return paths;
  const rules = new IgnoreRules(folder);
  for (const file of files) await rules.add(file.slice(0, -".ignore".length), ".ignore");
  return paths.filter((path) => !rules.leavesOut(path));
}
