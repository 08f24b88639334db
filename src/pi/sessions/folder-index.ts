import { readdirSync } from "node:fs";
import type { FoundFile } from "./files.ts";
import { type IndexEntry, IndexFile } from "./index-file.ts";
import { readOn } from "./reading.ts";
import { Words } from "./words.ts";

interface Known {
  entry: IndexEntry;
  /** Absent while they are only in the file of the index. */
  words?: Buffer;
  /** The file could not be read; nothing of that is kept. */
  isUnreadable?: true;
}

/** Reading so many bytes again costs less than writing the index does. */
const WORTH_SAVING = 256 * 1024;

/** What is known of the session files in one folder. */
export class FolderIndex {
  private readonly folder: string;
  private readonly file: IndexFile;
  private readonly known = new Map<string, Known>();
  private loading: Promise<void> | undefined;
  private loadingWords: Promise<void> | undefined;
  /** Bytes of session files that were read since the index was saved. */
  private unsaved = 0;

  constructor(cache: string, folder: string) {
    this.folder = folder;
    this.file = new IndexFile(cache, folder);
  }

  load(): Promise<void> {
    this.loading ??= this.file.entries().then((entries) => {
      for (const [name, entry] of entries) this.known.set(name, { entry });
    });
    return this.loading;
  }

  /** The entry of the file as it is now; undefined while it has not been read. */
  of({ name, size, modified }: FoundFile): IndexEntry | undefined {
    const entry = this.known.get(name)?.entry;
    return entry?.size === size && entry.modified === modified ? entry : undefined;
  }

  /** After `loadWords`. */
  wordsOf({ name }: FoundFile): Buffer | undefined {
    return this.known.get(name)?.words;
  }

  /** How many bytes `read` would have to read. */
  missing(file: FoundFile): number {
    if (this.of(file)) return 0;
    const offset = this.known.get(file.name)?.entry.progress?.offset ?? 0;
    return offset <= file.size ? file.size - offset : file.size;
  }

  /** Reads of the file what is new in it. */
  async read(file: FoundFile, pause: () => Promise<void> | undefined): Promise<void> {
    await this.loadWords();
    if (this.of(file)) return;
    const { name, size, modified } = file;
    const known = this.known.get(name);
    let words = new Words();
    const missing = this.missing(file);
    try {
      const progress = await readOn(
        file,
        known?.entry.progress,
        (from) => {
          words = new Words(from && known?.words);
          return words;
        },
        pause,
      );
      this.known.set(name, {
        entry: { size, modified, ...(progress && { progress }) },
        ...(progress && { words: words.toBytes() }),
      });
      this.unsaved += missing;
    } catch {
      this.known.set(name, { entry: { size, modified }, isUnreadable: true });
    }
  }

  async loadWords(): Promise<void> {
    await this.load();
    this.loadingWords ??= this.file.words().then((found) => {
      for (const [name, known] of this.known) {
        const { progress } = known.entry;
        if (!progress || known.words) continue;
        const kept = found.get(name);
        // Without its words the entry is worth nothing: the file is read again.
        if (kept?.offset === progress.offset) known.words = kept.words;
        else this.known.delete(name);
      }
    });
    await this.loadingWords;
  }

  /** Keeps the index if that is worth it. */
  async save(): Promise<void> {
    if (this.unsaved < WORTH_SAVING) return;
    await this.loadWords();
    const names = new Set(readdirSync(this.folder));
    for (const name of this.known.keys()) if (!names.has(name)) this.known.delete(name);
    const kept = [...this.known].filter(([, known]) => !known.isUnreadable);
    this.unsaved = 0;
    await this.file.save(
      new Map(kept.map(([name, { entry }]) => [name, entry])),
      new Map(kept.flatMap(([name, { words }]) => (words ? [[name, words] as const] : []))),
    );
  }

  /** Gives up the memory of the words. What was not worth saving is read again when it is needed. */
  forgetWords(): void {
    if (!this.loadingWords) return;
    this.loadingWords = undefined;
    if (this.unsaved > 0) {
      this.loading = undefined;
      this.unsaved = 0;
      return this.known.clear();
    }
    for (const known of this.known.values()) delete known.words;
  }
}
