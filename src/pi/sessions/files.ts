import { readdirSync, type Stats, statSync } from "node:fs";
import { sep } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** A session file as it was found in its folder; nothing of it has been read. */
export interface FoundFile {
  folder: string;
  name: string;
  path: string;
  /** In bytes. */
  size: number;
  /** Milliseconds since 1970, with fractions. */
  modified: number;
}

/** Asking for thousands of files must not hold up the stream of an answer, and each promise would cost more than its file. */
const SLICE_MS = 4;

/** The session files in FOLDERS, the one that was changed last first. */
export async function findFiles(folders: readonly string[]): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  let sliceStart = performance.now();
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const path = folder + sep + name;
      const stats = statsOf(path);
      if (stats?.isFile()) found.push({ folder, name, path, size: stats.size, modified: stats.mtimeMs });
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await turn();
      sliceStart = performance.now();
    }
  }
  return found.sort(newestFirst);
}

/** A place in the order of the files, also of one that is not there any more. */
export type Place = Pick<FoundFile, "modified" | "path">;

export function newestFirst(one: Place, other: Place): number {
  return other.modified - one.modified || (one.path < other.path ? 1 : one.path > other.path ? -1 : 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    // Nothing is told of a file that was deleted meanwhile.
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
