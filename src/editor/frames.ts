/**
 * The base protocol's framing, as bytes: `Content-Length: N\r\n\r\n` and N bytes of body.
 *
 * The result depends on the bytes alone, never on how they were cut into chunks. What is not a header is
 * reported once and skipped up to the next `Content-Length` header, so that a client's slip (a length that is
 * off by a few bytes, a stray print) costs one message instead of the connection.
 */
export type Frame =
  | { is: "body"; bytes: Buffer }
  /** Bytes that are no header; `fatal` when there is no way to find the next message. */
  | { is: "junk"; reason: string; fatal: boolean };

/** A body larger than this is taken for a broken header: waiting for it would hang the connection for good. */
export const MAX_BODY_BYTES = 256 * 1024 * 1024;
/** Junk is skipped in search of the next header for so long, then it is no language client that is talking to us. */
export const MAX_JUNK_BYTES = 1024 * 1024;
/** No header line is longer. Of a longer one only the end is kept: a header may be there. */
const MAX_LINE_BYTES = 4096;
const KEPT_BYTES = 64;

const LF = 10;

export class FrameSplitter {
  private mode: "header" | "body" | "dead" = "header";
  private line = "";
  /** `line` is only the end of it. */
  private isLong = false;
  private headers = 0;
  private length: number | undefined;
  private body: Buffer[] = [];
  private missing = 0;
  private junkBytes = 0;
  private inJunk = false;

  /** The frames that `chunk` completes, in order. Linear in the size of the stream. */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (at < chunk.length && this.mode !== "dead") {
      if (this.mode === "body") {
        const end = Math.min(chunk.length, at + this.missing);
        this.body.push(chunk.subarray(at, end));
        this.missing -= end - at;
        at = end;
        if (this.missing === 0) this.finishBody(frames);
        continue;
      }
      const newline = chunk.indexOf(LF, at);
      const end = newline === -1 ? chunk.length : newline;
      this.extendLine(chunk, at, end, frames);
      at = end + 1;
      if (newline !== -1) {
        this.header(this.line.endsWith("\r") ? this.line.slice(0, -1) : this.line, frames);
        this.line = "";
        this.isLong = false;
      }
    }
    return frames;
  }

  /** What the stream's end cuts off, for the log; undefined when it ends between two messages. */
  rest(): string | undefined {
    if (this.mode === "body") return `${this.missing} bytes of a message body are missing`;
    return this.line === "" && this.headers === 0 ? undefined : `unfinished header ${quote(this.line)}`;
  }

  private extendLine(chunk: Buffer, start: number, end: number, frames: Frame[]): void {
    this.line += chunk.toString("latin1", start, end);
    if (this.line.length > MAX_LINE_BYTES && !this.isLong) {
      this.isLong = true;
      this.report(`a header line of more than ${MAX_LINE_BYTES} bytes, beginning ${quote(this.line)}`, frames);
    }
    if (!this.isLong || this.line.length <= KEPT_BYTES) return;
    this.junkBytes += this.line.length - KEPT_BYTES;
    this.line = this.line.slice(-KEPT_BYTES);
    this.giveUpAfterTooMuch(frames);
  }

  private header(line: string, frames: Frame[]): void {
    if (line === "") {
      if (this.length !== undefined) this.beginBody(frames);
      else if (this.headers > 0) this.junk("headers without Content-Length", frames);
      this.headers = 0;
      return;
    }
    this.headers += 1;
    const field = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line);
    const name = field?.[1]?.toLowerCase();
    if (field && name !== "content-length" && (this.length !== undefined || !line.includes("Content-Length"))) {
      const charset = name === "content-type" ? /charset="?([\w-]+)/i.exec(field[2] ?? "")?.[1] : undefined;
      if (charset && !/^utf-?8$/i.test(charset)) this.junk(`charset ${charset}; only utf-8 is spoken here`, frames);
      return;
    }
    // The header may follow the leftover of a body whose announced length was too short.
    const length = /^(.*?)content-length[ \t]*:[ \t]*([0-9]+)[ \t]*$/i.exec(line);
    if (!length) return this.junk(`expected a "Content-Length: <bytes>" header, got ${quote(line)}`, frames);
    if (length[1]) this.junk(`${quote(length[1])} before a header`, frames);
    this.length = Number(length[2]);
    if (this.length <= MAX_BODY_BYTES) return;
    this.mode = "dead";
    frames.push({ is: "junk", fatal: true, reason: `Content-Length ${length[2]} exceeds ${MAX_BODY_BYTES} bytes` });
  }

  private beginBody(frames: Frame[]): void {
    this.mode = "body";
    this.missing = this.length ?? 0;
    this.length = undefined;
    this.inJunk = false;
    this.junkBytes = 0;
    if (this.missing === 0) this.finishBody(frames);
  }

  private finishBody(frames: Frame[]): void {
    const [first] = this.body;
    frames.push({ is: "body", bytes: this.body.length === 1 && first ? first : Buffer.concat(this.body) });
    this.body = [];
    this.mode = "header";
  }

  private junk(reason: string, frames: Frame[]): void {
    this.report(reason, frames);
    this.junkBytes += this.line.length + 1;
    this.giveUpAfterTooMuch(frames);
  }

  private report(reason: string, frames: Frame[]): void {
    if (!this.inJunk) frames.push({ is: "junk", reason, fatal: false });
    this.inJunk = true;
  }

  private giveUpAfterTooMuch(frames: Frame[]): void {
    if (this.junkBytes <= MAX_JUNK_BYTES || this.mode === "dead") return;
    this.mode = "dead";
    frames.push({ is: "junk", fatal: true, reason: `no Content-Length header within ${MAX_JUNK_BYTES} bytes` });
  }
}

/** A received text for an error message: JSON-quoted and cut, so that it stays one short line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
