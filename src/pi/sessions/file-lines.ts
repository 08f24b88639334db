import type { FileHandle } from "node:fs/promises";

/** A line of a session file. */
export interface FileLine {
  /** Without its end. It shares memory with what is read next: it is to be used at once. */
  bytes: Buffer;
  /** The line is longer than is held in memory, and `bytes` is how it begins. */
  isCut: boolean;
  /** Where the next line begins, in bytes from the beginning of the file. */
  end: number;
  /** False for what comes after the last LF: another process may be about to write the rest. */
  isEnded: boolean;
}

const LF = 10;
/** Of a longer line only the beginning is kept: an image or a log that somebody pasted must not fill the memory. */
const LONGEST_LINE = 8 * 1024 * 1024;
const KEPT_OF_LONGER = 64 * 1024;

/** A chunk is at most as long. */
export const LARGEST_CHUNK = 256 * 1024;
/** Buffers that are not in use: one for each file would be garbage faster than it is collected. */
const free: Buffer[] = [];

/**
 * The lines of a file from `start` up to `end` (exclusive; both in bytes), as many at a time as a chunk completes.
 * The chunks grow from `firstChunk` bytes to `LARGEST_CHUNK`: who stops early has read little.
 */
export async function* fileLines(
  file: FileHandle,
  start: number,
  end: number,
  firstChunk: number,
): AsyncGenerator<FileLine[], void, void> {
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(LARGEST_CHUNK);
  const pending = new PendingLine();
  try {
    let at = start;
    for (let length = firstChunk; at < end; length = Math.min(length * 4, LARGEST_CHUNK)) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(length, end - at), at);
      if (bytesRead === 0) break;
      yield linesOf(buffer.subarray(0, bytesRead), at, pending);
      at += bytesRead;
    }
    if (pending.length > 0) yield [pending.take(Buffer.alloc(0), at, false)];
  } finally {
    free.push(buffer);
  }
}

function linesOf(chunk: Buffer, offset: number, pending: PendingLine): FileLine[] {
  const lines: FileLine[] = [];
  let start = 0;
  for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
    lines.push(pending.take(chunk.subarray(start, at), offset + at + 1, true));
    start = at + 1;
  }
  pending.add(chunk.subarray(start));
  return lines;
}

/** The beginning of a line whose end has not been read. */
class PendingLine {
  private parts: Buffer[] = [];
  length = 0;

  /** Copies, because the chunk is overwritten by the next one. */
  add(part: Buffer): void {
    const wasCut = this.length > LONGEST_LINE;
    this.length += part.length;
    if (wasCut || part.length === 0) return;
    this.parts.push(Buffer.from(part));
    if (this.length > LONGEST_LINE) this.parts = [Buffer.from(Buffer.concat(this.parts).subarray(0, KEPT_OF_LONGER))];
  }

  take(last: Buffer, end: number, isEnded: boolean): FileLine {
    if (this.length === 0) return { bytes: last, isCut: false, end, isEnded };
    this.add(last);
    const line = { bytes: Buffer.concat(this.parts), isCut: this.length > LONGEST_LINE, end, isEnded };
    this.parts = [];
    this.length = 0;
    return line;
  }
}
