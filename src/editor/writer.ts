import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message, type MessageWriter } from "vscode-jsonrpc/node";
import { RawJson } from "./raw.ts";

/** Bodies above this are handed to the stream as they are; smaller ones are cheaper to copy into one buffer. */
const COPY_LIMIT = 64 * 1024;
const BATCH_BYTES = 128 * 1024;
/** Up to this length of the raw bytes, everything that stands before them is kept for the next message. */
const CACHED_LENGTH = 1024;

const CLOSE = Buffer.from("}");

/** What stands before the raw bytes: from the header to the member's colon. */
interface Envelope {
  text: string;
  /** By the length of the raw bytes: deltas are much alike. */
  heads: (Buffer | undefined)[];
}

/**
 * Writes framed messages. A body is spliced: the envelope, the raw bytes, a brace; no JSON is decoded or encoded
 * for what came from pi. Messages are gathered until `flush`, so that one chunk from pi leaves in one write.
 *
 * Order of the calls is order on the wire, whichever method they use.
 */
export class SplicingWriter extends AbstractMessageWriter implements MessageWriter {
  private readonly out: Writable;
  private batch = Buffer.allocUnsafe(BATCH_BYTES);
  private used = 0;
  private waiting: Promise<void> | undefined;
  private ended = false;
  private readonly envelopes = new Map<string, Envelope>();
  /** Called with the id of each response that is written. */
  onResponse: (id: number | string | null) => void = () => {};
  /** Called with the id of each request to the editor. */
  onRequest: (id: number | string) => void = () => {};

  constructor(out: Writable) {
    super();
    this.out = out;
    out.on("error", (error) => {
      this.ended = true;
      this.fireError(error);
      this.fireClose();
    });
    out.on("close", () => {
      this.ended = true;
      this.fireClose();
    });
  }

  /** vscode-jsonrpc's way in: responses, and requests and notifications of the bridge itself. */
  write(message: Message): Promise<void> {
    this.append(message);
    this.flush();
    return Promise.resolve();
  }

  end(): void {
    this.flush();
    this.ended = true;
  }

  /** A notification whose params are raw bytes. Leaves with the next `flush`. */
  notify(method: string, params: Buffer): void {
    let envelope = this.envelopes.get(method);
    if (!envelope) {
      envelope = { text: `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`, heads: [] };
      this.envelopes.set(method, envelope);
    }
    const { length } = params;
    let head = envelope.heads[length];
    if (!head) {
      head = headOf(envelope.text, length);
      if (length < CACHED_LENGTH) envelope.heads[length] = head;
    }
    this.splice(head, params);
  }

  /** Everything appended so far goes to the stream, in one write; after the end, nowhere. */
  flush(): void {
    if (this.used === 0) return;
    const bytes = this.batch.subarray(0, this.used);
    this.batch = this.used * 2 > BATCH_BYTES ? Buffer.allocUnsafe(BATCH_BYTES) : this.batch.subarray(this.used);
    this.used = 0;
    this.send(bytes);
  }

  /** Resolves when the editor has read enough for more to be written; undefined when it need not be waited for. */
  drained(): Promise<void> | undefined {
    if (this.waiting || !this.out.writableNeedDrain || this.ended) return this.waiting;
    this.waiting = new Promise((resolve) => {
      const done = () => {
        this.out.off("drain", done).off("close", done).off("error", done);
        this.waiting = undefined;
        resolve();
      };
      this.out.on("drain", done).on("close", done).on("error", done);
    });
    return this.waiting;
  }

  /** Bytes that were written and wait for the editor to read. */
  get unread(): number {
    return this.out.writableLength;
  }

  /** Resolves when all that was written has left this process, or cannot any more. */
  finished(): Promise<void> {
    this.flush();
    if (this.ended || this.out.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.out.once("error", () => resolve());
      this.out.once("close", () => resolve());
      this.out.write("", () => resolve());
    });
  }

  private append(message: Message): void {
    const { result, params, ...rest } = message as Message & Record<string, unknown>;
    if ("id" in message) {
      if ("method" in message) this.onRequest(message.id as number | string);
      else this.onResponse(message.id as number | string | null);
    }
    if (result instanceof RawJson) this.splice(headOf(open(rest, "result"), result.bytes.length), result.bytes);
    else if (params instanceof RawJson) this.splice(headOf(open(rest, "params"), params.bytes.length), params.bytes);
    else this.whole(Buffer.from(JSON.stringify(message)));
  }

  private splice(head: Buffer, raw: Buffer): void {
    const length = head.length + raw.length + 1;
    if (length > COPY_LIMIT) return this.large(head, raw, CLOSE);
    this.reserve(length);
    this.batch.set(head, this.used);
    this.batch.set(raw, this.used + head.length);
    this.used += length;
    this.batch[this.used - 1] = 0x7d;
  }

  private whole(body: Buffer): void {
    const head = Buffer.from(header(body.length));
    if (body.length > COPY_LIMIT) return this.large(head, body);
    this.reserve(head.length + body.length);
    this.batch.set(head, this.used);
    this.batch.set(body, this.used + head.length);
    this.used += head.length + body.length;
  }

  private large(...parts: Buffer[]): void {
    this.flush();
    if (this.ended) return;
    this.out.cork();
    for (const part of parts) this.send(part);
    this.out.uncork();
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.batch.length) return;
    this.flush();
    if (this.batch.length < bytes) this.batch = Buffer.allocUnsafe(Math.max(BATCH_BYTES, bytes));
  }

  private send(bytes: Buffer): void {
    if (!this.ended) this.out.write(bytes);
  }
}

function header(length: number): string {
  return `Content-Length: ${length}\r\n\r\n`;
}

/** The header and the beginning of a body that goes on with `rawLength` bytes and a brace. */
function headOf(envelope: string, rawLength: number): Buffer {
  return Buffer.from(`${header(Buffer.byteLength(envelope) + rawLength + 1)}${envelope}`);
}

/** The message up to where its raw member begins. `rest` is never empty: it has `jsonrpc`. */
function open(rest: object, member: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"${member}":`;
}
