import { setImmediate as turn } from "node:timers/promises";
import type { FoundFile } from "./files.ts";
import { FolderIndex } from "./folder-index.ts";
import type { IndexEntry } from "./index-file.ts";
import { inParallel } from "./parallel.ts";
import { wordsOf } from "./words.ts";

/** After each chunk that is read in the background, what the bridge is there for gets its turn. */
const PAUSE_MS = 2;
const SAVE_EVERY_MS = 20_000;
/** How long nobody has to ask for the sessions until the memory is given back. */
const IDLE_MS = 120_000;

/** Whether a session has all words of a query; undefined while its messages have not been read. */
export type Matcher = (file: FoundFile) => boolean | undefined;

/** What the session files say, read in the background and kept in the cache folder. */
export class SessionIndex {
  private readonly cache: string;
  private readonly log: (text: string) => void;
  private readonly folders = new Map<string, FolderIndex>();
  /** To be read, the first one first. */
  private wanted = new Map<string, FoundFile>();
  private readonly reading = new Map<string, Promise<void>>();
  private working: Promise<void> | undefined;
  private lastSave = performance.now();
  private hurried = 0;
  /** Answers that are being made: the reading in the background waits for them. */
  private answering = 0;
  private hasFailed = false;
  private isStopped = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(cache: string, log: (text: string) => void) {
    this.cache = cache;
    this.log = log;
  }

  /** Holds back the reading in the background while USE makes an answer. */
  async answer<T>(use: () => Promise<T>): Promise<T> {
    this.answering += 1;
    try {
      return await use();
    } finally {
      this.answering -= 1;
    }
  }

  /** Loads what was kept of FOLDERS. */
  async load(folders: readonly string[]): Promise<void> {
    this.idle ??= setTimeout(() => this.forget(), IDLE_MS).unref();
    this.idle.refresh();
    await inParallel(folders, (folder) => this.folder(folder).load());
  }

  /** What is known of the file as it is now; undefined while it has not been read. An entry without progress is no session's. */
  of(file: FoundFile): IndexEntry | undefined {
    return this.folder(file.folder).of(file);
  }

  /** Has FILES read in the background, the first one first. */
  cover(files: readonly FoundFile[]): void {
    const missing = files.filter((file) => !this.of(file)).map((file): [string, FoundFile] => [file.path, file]);
    if (missing.length > 0) this.wanted = new Map([...missing, ...this.wanted, ...missing]);
    if (this.wanted.size === 0 || this.isStopped) return;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  /** Reads those of FILES at once that are soon read: so many BYTES in all. */
  async readNow(files: readonly FoundFile[], bytes: number): Promise<void> {
    let left = bytes;
    const cheap = files.filter((file) => {
      const missing = this.folder(file.folder).missing(file);
      if (missing > left) return false;
      left -= missing;
      return true;
    });
    this.hurried += 1;
    await inParallel(cheap, (file) => this.read(file, turn));
    this.hurried -= 1;
  }

  /** Waits for the reading in the background, which goes on without pauses, but no longer than MS. */
  async hurry(ms: number): Promise<void> {
    if (!this.working) return;
    this.hurried += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    await Promise.race([this.working, promise]);
    clearTimeout(timer);
    this.hurried -= 1;
  }

  /** Loads the words of FOLDERS. A word of the query may be a part of a word of the session. */
  async matcher(query: string, folders: readonly string[]): Promise<Matcher> {
    const words = wordsOf(query).map((word) => ({ word, bytes: Buffer.from(word) }));
    await inParallel(folders, (folder) => this.folder(folder).loadWords());
    return (file) => {
      const folder = this.folder(file.folder);
      const entry = folder.of(file);
      if (!entry) return undefined;
      const { name } = entry.progress?.digest ?? {};
      const named = name === undefined ? "" : wordsOf(name).join(" ");
      return words.every(({ word, bytes }) => folder.wordsOf(file)?.includes(bytes) || named.includes(word));
    };
  }

  /** Ends the work in the background. What is not saved yet is read again by whoever needs it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.idle);
    await this.working;
  }

  private async work(): Promise<void> {
    // Another request may put other files first at any time.
    for (let [next] = this.wanted; next; [next] = this.wanted) {
      const [path, file] = next;
      this.wanted.delete(path);
      await this.read(file, () => this.pause());
      if (this.isStopped) return;
      if (performance.now() - this.lastSave > SAVE_EVERY_MS) await this.save();
    }
    await this.save();
  }

  private read(file: FoundFile, pause: () => Promise<void>): Promise<void> {
    const running = this.reading.get(file.path);
    if (running) return running;
    const reading = this.folder(file.folder)
      .read(file, pause)
      .finally(() => this.reading.delete(file.path));
    this.reading.set(file.path, reading);
    return reading;
  }

  private async pause(): Promise<void> {
    do {
      if (this.isStopped) throw new Error("The reading of the sessions was ended.");
      // Neither the pause nor what follows keeps the process alive.
      if (this.hurried > 0) await turn();
      else await new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    } while (this.answering > 0 && this.hurried === 0);
  }

  private async save(): Promise<void> {
    for (const folder of this.folders.values()) {
      try {
        await folder.save();
      } catch (error) {
        if (!this.hasFailed) this.log(`The index of the sessions cannot be kept: ${(error as Error).message}`);
        this.hasFailed = true;
      }
    }
    this.lastSave = performance.now();
  }

  private forget(): void {
    if (this.working || this.reading.size > 0) this.idle?.refresh();
    else for (const folder of this.folders.values()) folder.forgetWords();
  }

  private folder(folder: string): FolderIndex {
    let index = this.folders.get(folder);
    if (!index) {
      index = new FolderIndex(this.cache, folder);
      this.folders.set(folder, index);
    }
    return index;
  }
}
