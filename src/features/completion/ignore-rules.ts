import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ignore } from "ignore";
import { parentOf } from "./file-index.ts";

/** The files that say which paths of their folder are left out. */
export const IGNORE_FILES = [".gitignore", ".ignore"];

/** What ignore files say, each for the folder that it is in. */
export class IgnoreRules {
  private readonly root: string;
  /** By folder, relative to the root, with a slash at its end; the root itself is empty. */
  private readonly byFolder = new Map<string, Ignore>();

  constructor(root: string) {
    this.root = root;
  }

  /** Takes up an ignore file. One that cannot be read says nothing. */
  async add(folder: string, name: string): Promise<void> {
    // Only a folder without git, or with such a file, has a use for the rules.
    const { default: ignore } = await import("ignore");
    const text = await readFile(join(this.root, folder, name), "utf8").catch(() => "");
    const rules = this.byFolder.get(folder) ?? ignore({ ignorecase: process.platform !== "linux" });
    this.byFolder.set(folder, rules.add(text));
  }

  /**
   * Whether a path is left out. The nearest ignore file that says anything of it decides.
   *
   * @param path relative to the root; a folder ends with a slash
   */
  leavesOut(path: string): boolean {
    if (this.byFolder.size === 0) return false;
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      const said = this.byFolder.get(folder)?.test(path.slice(folder.length));
      if (said?.ignored || said?.unignored) return said.ignored;
      if (folder === "") return false;
    }
  }
}
