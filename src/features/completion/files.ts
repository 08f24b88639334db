import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { expandHome } from "../../pi/agent-dir.ts";
import { Cached } from "./cached.ts";
import { FileIndex } from "./file-index.ts";
import { gitFiles } from "./git-files.ts";
import { readFolder, walk } from "./walk.ts";

/** So many are looked at; who has not found it among them types on. */
const LIMIT = 100;
/** How long a list is taken for the present one, when no tool has run meanwhile. */
const FRESH_MS = 2000;
/** How long an answer may wait, in milliseconds: for the first list of all, and for a newer one. */
const PATIENCE = { first: 10_000, next: 100 };

export interface FilesContext {
  /** pi's working directory. */
  folder(): string;
  env: NodeJS.ProcessEnv;
  log(text: string): void;
}

/** The files and folders that a prompt can mention: those below pi's working directory, and by their whole path others. */
export class Files {
  private readonly context: FilesContext;
  private list: { folder: string; index: Cached<FileIndex> } | undefined;
  private last: { paths: readonly string[]; index: FileIndex } | undefined;
  private readonly told = new Set<string>();
  private readonly over = new AbortController();

  constructor(context: FilesContext) {
    this.context = context;
  }

  /** Begins to look for the files, so that the first question finds them found. */
  prepare(): void {
    const { index } = this.current();
    if (!index.isUsed) void index.refresh();
  }

  /** The agent has changed files, perhaps. */
  expire(): void {
    this.list?.index.expire();
  }

  /** The agent is through: what the person types next finds the files as they are now. */
  renew(): void {
    this.expire();
    if (this.list?.index.isUsed) void this.list.index.refresh();
  }

  /**
   * What fits best, best first: relative paths, or as they are typed when they begin with `/`, `~/`, `./` or `../`.
   * A folder ends with a slash.
   */
  async find(query: string): Promise<string[]> {
    const { folder, index } = this.current();
    const [, here = "", path = ""] = /^((?:\.\/+)*)(.*)$/s.exec(query) ?? [];
    const list = (await index.read(PATIENCE)) ?? (await FileIndex.of([]));
    const within = path.slice(0, path.lastIndexOf("/") + 1);
    const isListed = within === "" || list.hasWithin(within);
    const found = (isListed ? undefined : await this.lookInto(folder, within)) ?? list;
    return (await this.present(folder, found.find(path, 4 * LIMIT))).map((there) => here + there);
  }

  /** Ends what is under way. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.over.abort();
    await this.list?.index.idle();
  }

  private current(): { folder: string; index: Cached<FileIndex> } {
    const folder = this.context.folder();
    if (this.list?.folder !== folder) this.list = { folder, index: new Cached(() => this.read(folder), FRESH_MS) };
    return this.list;
  }

  private async read(folder: string): Promise<FileIndex> {
    const { env } = this.context;
    const { signal } = this.over;
    const byGit = await gitFiles(folder, env, signal);
    // A folder that is ignored as a whole lies in a repository, but git has nothing to say of it.
    const { paths, cut } = byGit?.paths.length ? byGit : await walk(folder, signal);
    const text = `Not all files of ${folder} can be completed: ${cut}`;
    if (cut !== undefined && !signal.aborted && !this.told.has(text)) {
      this.told.add(text);
      this.context.log(text);
    }
    // Mostly nothing has changed, and an index takes longer to make than to compare.
    if (!this.last || !isSame(this.last.paths, paths)) this.last = { paths, index: await FileIndex.of(paths) };
    return this.last.index;
  }

  /**
   * What is in a folder that the list does not have: an ignored one, another repository, one that is elsewhere.
   * Undefined when there is no such folder.
   */
  private async lookInto(folder: string, within: string): Promise<FileIndex | undefined> {
    const entries = await readFolder(this.absolute(folder, within));
    return entries && FileIndex.of(entries.map((entry) => within + entry));
  }

  /** The first ones that are there (the list may be older); a link to a folder as a folder. */
  private async present(folder: string, paths: readonly string[]): Promise<string[]> {
    const present: string[] = [];
    for (let at = 0; at < paths.length && present.length < LIMIT; at += LIMIT) {
      const looked = paths.slice(at, at + LIMIT).map(async (path) => {
        const stats = await stat(this.absolute(folder, path)).catch(() => undefined);
        if (!stats) return [];
        return stats.isDirectory() && !path.endsWith("/") ? [`${path}/`] : [path];
      });
      present.push(...(await Promise.all(looked)).flat());
    }
    return present.slice(0, LIMIT);
  }

  private absolute(folder: string, path: string): string {
    return resolve(folder, expandHome(path, this.context.env));
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, at) => path === other[at]);
}
