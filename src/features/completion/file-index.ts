import { setImmediate as turn } from "node:timers/promises";
import { fold, pathRank } from "./rank.ts";

/** Paths that are taken up in one go: for a moment that nobody notices. */
const PORTION = 5000;

/**
 * The files and folders below a folder, prepared for questions. They are kept in the order that decides between equals
 * (depth, folders before files, name), so that one pass finds the best ones and nothing is sorted while a person types.
 */
export class FileIndex {
  /** Relative, with slashes; a folder ends with one. */
  private readonly paths: string[];
  /** The same, folded, without the slash at the end. */
  private readonly folded: string[] = [];
  private readonly nameAt: Uint32Array;
  /** The characters that are in a path, a bit for each kind: most paths are passed over by this alone. */
  private readonly masks: Uint32Array;
  /** The folders that something is in. */
  private readonly filled: ReadonlySet<string>;

  private constructor(paths: string[], filled: ReadonlySet<string>) {
    this.paths = paths;
    this.filled = filled;
    this.nameAt = new Uint32Array(paths.length);
    this.masks = new Uint32Array(paths.length);
  }

  /** @param listed relative paths with slashes, a folder with one at its end; folders that only paths tell of are added */
  static async of(listed: readonly string[]): Promise<FileIndex> {
    const folders = new Set<string>();
    const filled = new Set<string>();
    const levels: { folders: string[]; files: string[] }[] = [];
    const put = (path: string, depth: number) => {
      filled.add(parentOf(path));
      levels[depth] ??= { folders: [], files: [] };
      levels[depth][path.endsWith("/") ? "folders" : "files"].push(path);
    };
    /** @returns the depth of what is in the folder */
    const putFolder = (folder: string): number => {
      if (folder === "") return 0;
      const depth = putFolder(parentOf(folder));
      if (!folders.has(folder)) {
        folders.add(folder);
        put(folder, depth);
      }
      return depth + 1;
    };
    let last = { path: "", folder: "", depth: 0 };
    for (const [at, path] of listed.toSorted().entries()) {
      if (at % PORTION === PORTION - 1) await turn();
      // A line break cannot be written into a mention. A file in conflict is listed once for each of its sides.
      if (path === "" || path === last.path || /[\r\n]/.test(path)) continue;
      const folder = path.slice(0, path.lastIndexOf("/") + 1);
      const depth = folder === last.folder ? last.depth : putFolder(folder);
      if (folder !== path) put(path, depth);
      last = { path, folder, depth };
    }
    const index = new FileIndex(
      levels.flatMap((level) => [...level.folders, ...level.files]),
      filled,
    );
    await index.prepare();
    return index;
  }

  /** Whether it knows what is in a folder, which is given with a slash at its end. */
  hasWithin(folder: string): boolean {
    return this.filled.has(folder);
  }

  /** The paths that fit best, best first. */
  find(query: string, limit: number): string[] {
    const wanted = fold(query);
    const slash = wanted.lastIndexOf("/");
    const mask = maskOf(wanted);
    const found: number[][] = [];
    for (let at = 0; at < this.folded.length; at++) {
      if (((this.masks[at] ?? 0) & mask) !== mask) continue;
      const rank = pathRank(this.folded[at] ?? "", this.nameAt[at] ?? 0, wanted, slash);
      if (rank === undefined) continue;
      found[rank] ??= [];
      if (found[rank].length < limit) found[rank].push(at);
    }
    return found
      .flat()
      .slice(0, limit)
      .map((at) => this.paths[at] ?? "");
  }

  private async prepare(): Promise<void> {
    for (const [at, path] of this.paths.entries()) {
      if (at % PORTION === PORTION - 1) await turn();
      const folded = fold(path.endsWith("/") ? path.slice(0, -1) : path);
      this.folded.push(folded);
      this.nameAt[at] = folded.lastIndexOf("/") + 1;
      this.masks[at] = maskOf(folded);
    }
  }
}

/** The folder that a path is in, with a slash at its end; empty where there is none above. */
export function parentOf(path: string): string {
  return path.length < 2 ? "" : path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

/** Bits 0 to 25 are the letters; the digits, `.`, `-`, `_`, `/` and everything else have one each. */
function maskOf(folded: string): number {
  let mask = 0;
  for (let at = 0; at < folded.length; at++) {
    const code = folded.charCodeAt(at);
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) mask |= 1 << 26;
    else mask |= 1 << (27 + Math.max(0, ".-_/".indexOf(folded.charAt(at)) + 1));
  }
  return mask;
}
