import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { IGNORE_FILES, IgnoreRules } from "./ignore-rules.ts";
import type { Listing } from "./listing.ts";

export const WALK_LIMITS = { entries: 50_000, ms: 5000 };
/** Folders that are read at the same time. */
const WIDTH = 16;
/** What no prompt is about, as far as no ignore file has said it already. */
const PASSED_OVER: ReadonlySet<string> = new Set([".hg/", ".svn/", ".jj/", "node_modules/"]);

/**
 * The files below a folder that git knows nothing of, without what `.gitignore` and `.ignore` files leave out. Goes level
 * by level, and not for ever: of a home folder one gets what is near the top. Links are not followed.
 */
export async function walk(root: string, signal: AbortSignal, limits = WALK_LIMITS): Promise<Listing> {
  const rules = new IgnoreRules(root);
  const paths: string[] = [];
  const end = performance.now() + limits.ms;
  let level = [""];
  while (level.length > 0) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += WIDTH) {
      if (signal.aborted || performance.now() > end) return { paths, cut: `Not all is read within ${limits.ms} ms.` };
      const found = await Promise.all(level.slice(at, at + WIDTH).map((folder) => step(root, folder, rules)));
      for (const path of found.flat()) {
        if (paths.length === limits.entries) return { paths, cut: `There are more than ${limits.entries} entries.` };
        paths.push(path);
        if (path.endsWith("/")) next.push(path);
      }
    }
    level = next;
  }
  return { paths };
}

async function step(root: string, folder: string, rules: IgnoreRules): Promise<string[]> {
  const entries = (await readFolder(join(root, folder))) ?? [];
  for (const name of IGNORE_FILES) if (entries.includes(name)) await rules.add(folder, name);
  return entries
    .filter((entry) => !PASSED_OVER.has(entry))
    .map((entry) => folder + entry)
    .filter((path) => !rules.leavesOut(path));
}

/** The entries of one folder, but for git's own; undefined when it cannot be read. Folders end with a slash. */
export async function readFolder(folder: string): Promise<string[] | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  return entries?.flatMap((entry) =>
    entry.name === ".git" ? [] : [entry.isDirectory() ? `${entry.name}/` : entry.name],
  );
}
