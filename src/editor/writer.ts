import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message, type MessageWriter } from "vscode-jsonrpc/node";
import { RawJson } from "./raw.ts";

/** Bodies above this are handed to the stream as they are; smaller ones are cheaper to copy into one buffer. */
const COPY_LIMIT = 64 * 1024;
const BATCH_BYTES = 128 * 1024;
const HEADER_ROOM = 40;

const CLOSE = Buffer.from("}");

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
  private readonly envelopes = new Map<string, Buffer>();
  /** Called with the id of each response that is written. */
  onResponse: (id: number | string | null) => void = () => {};

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
      envelope = Buffer.from(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`);
      this.envelopes.set(method, envelope);
    }
    this.splice(envelope, params);
  }

  /** Everything appended so far goes to the stream, in one write. */
  flush(): void {
    if (this.used === 0 || this.ended) return;
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
    if ("id" in message && !("method" in message)) this.onResponse(message.id as number | string | null);
    if (result instanceof RawJson) this.splice(open(rest, "result"), result.bytes);
    else if (params instanceof RawJson) this.splice(open(rest, "params"), params.bytes);
    else this.whole(Buffer.from(JSON.stringify(message)));
  }

  private splice(envelope: Buffer, raw: Buffer): void {
    const length = envelope.length + raw.length + 1;
    if (length > COPY_LIMIT) return this.large(header(length), envelope, raw, CLOSE);
    this.reserve(length + HEADER_ROOM);
    this.used += this.batch.write(header(length), this.used, "latin1");
    this.used += envelope.copy(this.batch, this.used);
    this.used += raw.copy(this.batch, this.used);
    this.batch[this.used++] = 0x7d;
  }

  private whole(body: Buffer): void {
    if (body.length > COPY_LIMIT) return this.large(header(body.length), body);
    this.reserve(body.length + HEADER_ROOM);
    this.used += this.batch.write(header(body.length), this.used, "latin1");
    this.used += body.copy(this.batch, this.used);
  }

  private large(head: string, ...parts: Buffer[]): void {
    this.flush();
    if (this.ended) return;
    this.out.cork();
    this.send(Buffer.from(head, "latin1"));
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

/** The message up to where its raw member begins. `rest` is never empty: it has `jsonrpc`. */
function open(rest: object, member: string): Buffer {
  return Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"${member}":`);
}
