import { type FileHandle, open } from "node:fs/promises";
import { type Digest, DigestFold, isWhole } from "./digest.ts";
import { fileLines, LARGEST_CHUNK } from "./file-lines.ts";
import type { FoundFile } from "./files.ts";
import type { Words } from "./words.ts";

/** How far a file has been read. */
export interface Progress {
  digest: Digest;
  /** Where the next line begins, in bytes. */
  offset: number;
  /** The last bytes before it (base64): they tell whether the file has only grown since. */
  mark: string;
}

const MARK_BYTES = 48;
const FIRST_CHUNK = 8 * 1024;
/** A session in which the person says nothing for so long is listed without its first message. */
const OPENING_WITHIN = 1024 * 1024;
/** A line that began before may be as long as one with an image is; what is longer is something else. */
const OPENING_AT_MOST = 16 * 1024 * 1024;

/**
 * Reads a session file to its end, on from PROGRESS when it has only grown since, and calls PAUSE after each chunk.
 * Undefined when it is no session. The words of its messages go to what WORDS gives for the place where it begins.
 */
export async function readOn(
  { path, size }: FoundFile,
  progress: Progress | undefined,
  words: (from: Progress | undefined) => Words,
  pause: () => Promise<void> | undefined,
): Promise<Progress | undefined> {
  return withFile(path, async (file) => {
    const from = progress && (await hasOnlyGrown(file, size, progress)) ? progress : undefined;
    const fold = new DigestFold(from?.digest, words(from));
    let offset = from?.offset ?? 0;
    reading: for await (const lines of fileLines(file, offset, size, LARGEST_CHUNK)) {
      for (const line of lines) {
        if (!line.isEnded && !isWhole(line)) break reading;
        fold.line(line);
        if (fold.broken) return undefined;
        offset = line.end;
      }
      await pause();
    }
    return fold.digest && { digest: fold.digest, offset, mark: await markBefore(file, offset) };
  });
}

/** The header and what the person said first, from the beginning of the file; undefined when it is no session. */
export async function readOpening({ path, size }: FoundFile, until: "header" | "message"): Promise<Digest | undefined> {
  return withFile(path, async (file) => {
    const fold = new DigestFold();
    for await (const lines of fileLines(file, 0, Math.min(size, OPENING_AT_MOST), FIRST_CHUNK)) {
      for (const line of lines) {
        if (line.isEnded || isWhole(line)) fold.line(line);
        if (fold.broken || (fold.digest && until === "header") || fold.digest?.firstMessage) return fold.digest;
        if (line.end > OPENING_WITHIN) return fold.digest;
      }
    }
    return fold.digest;
  });
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "r");
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function hasOnlyGrown(file: FileHandle, size: number, { offset, mark }: Progress): Promise<boolean> {
  return size >= offset && (await markBefore(file, offset)) === mark;
}

async function markBefore(file: FileHandle, offset: number): Promise<string> {
  const start = Math.max(0, offset - MARK_BYTES);
  const bytes = Buffer.alloc(offset - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.toString("base64", 0, bytesRead);
}
