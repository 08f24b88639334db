import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Progress } from "./reading.ts";

/** What is known of one session file: how it was when it was read, and what it says. */
export interface IndexEntry {
  size: number;
  modified: number;
  /** Absent when it is no session. */
  progress?: Progress;
}

/** Rises when an index that is already there would be misunderstood. */
const FORMAT = "pi-language-server sessions 1";
const TAB = 9;
const LF = 10;
/** What a bridge that was ended while it wrote has left behind. */
const STALE_MS = 60 * 60 * 1000;

/**
 * The index of the session files in one folder, kept as two files. `.jsonl` has an entry a line. `.words` has a line for
 * each session, `<name> TAB <offset> TAB <words>`, and is read only when it is needed. The offset ties the words to the
 * entry, so that two bridges can write their files at the same time.
 */
export class IndexFile {
  private readonly folder: string;
  private readonly path: string;

  constructor(cache: string, folder: string) {
    this.folder = folder;
    this.path = join(cache, "sessions", createHash("sha256").update(folder).digest("hex").slice(0, 16));
  }

  /** The entries by the name of the session file. Empty when there is no index, or none that can be read. */
  async entries(): Promise<Map<string, IndexEntry>> {
    const found = new Map<string, IndexEntry>();
    try {
      const [head, ...lines] = (await readFile(`${this.path}.jsonl`, "utf8")).split("\n");
      if (head !== this.head() || lines.pop() !== "") return found;
      for (const line of lines) {
        const { name, ...entry } = JSON.parse(line) as IndexEntry & { name: string };
        found.set(name, entry);
      }
      return found;
    } catch {
      return new Map();
    }
  }

  /** The words by the name of the session file, each with the offset up to which they were gathered. */
  async words(): Promise<Map<string, { offset: number; words: Buffer }>> {
    const found = new Map<string, { offset: number; words: Buffer }>();
    const bytes = await readFile(`${this.path}.words`).catch(() => Buffer.alloc(0));
    const head = Buffer.from(`${this.head()}\n`);
    if (!bytes.subarray(0, head.length).equals(head)) return found;
    for (let start = head.length; start < bytes.length; ) {
      const end = bytes.indexOf(LF, start);
      const name = bytes.indexOf(TAB, start);
      const offset = bytes.indexOf(TAB, name + 1);
      if (end === -1 || name === -1 || offset === -1 || offset > end) break;
      found.set(decodeURIComponent(bytes.toString("latin1", start, name)), {
        offset: Number(bytes.toString("latin1", name + 1, offset)),
        words: bytes.subarray(offset + 1, end),
      });
      start = end + 1;
    }
    return found;
  }

  /** Replaces what was there. Readers see the old files or the new ones, whole. */
  async save(entries: ReadonlyMap<string, IndexEntry>, words: ReadonlyMap<string, Buffer>): Promise<void> {
    const lines = Array.from(entries, ([name, entry]) => `${JSON.stringify({ name, ...entry })}\n`);
    const wordLines = Array.from(words).flatMap(([name, bytes]) => {
      const offset = entries.get(name)?.progress?.offset;
      return offset === undefined
        ? []
        : [Buffer.from(`${encodeURIComponent(name)}\t${offset}\t`), bytes, Buffer.from("\n")];
    });
    // The messages of a person are in there.
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await this.replace(".words", [Buffer.from(`${this.head()}\n`), ...wordLines]);
    await this.replace(".jsonl", [Buffer.from(`${this.head()}\n${lines.join("")}`)]);
  }

  private head(): string {
    return JSON.stringify({ format: FORMAT, folder: this.folder });
  }

  private async replace(extension: string, parts: readonly Buffer[]): Promise<void> {
    const target = this.path + extension;
    await this.sweep(extension);
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writev([...parts]);
      } finally {
        await file.close();
      }
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  private async sweep(extension: string): Promise<void> {
    const folder = dirname(this.path);
    for (const name of await readdir(folder)) {
      if (!name.startsWith(basename(this.path) + extension) || !name.endsWith(".tmp")) continue;
      const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > STALE_MS) await rm(join(folder, name), { force: true });
    }
  }
}
