import type { Readable, Writable } from "node:stream";
import {
  CancellationReceiverStrategy,
  type CancellationToken,
  createMessageConnection,
  type Message,
  type MessageConnection,
  type RequestMessage,
  ResponseError,
} from "vscode-jsonrpc/node";
import { codes } from "../protocol/errors.ts";
import type { RawJson } from "./raw.ts";
import { FrameReader } from "./reader.ts";
import { SplicingWriter } from "./writer.ts";

/** What a request handler may know about the request beside its parameters. */
export interface Call {
  id: number | string;
  token: CancellationToken;
}

export interface EditorHandlers {
  /** Called in the order in which the editor sent its messages; what is to keep that order happens before the first await. */
  request(method: string, params: unknown, call: Call): unknown;
  notification(method: string, params: unknown): void;
  log(text: string): void;
  /** The editor is gone, or no longer understandable (`reason`). Called once. */
  closed(reason?: string): void;
}

/** vscode-jsonrpc dispatches one message a turn of the event loop: reading goes on only while it keeps up. */
const QUEUE_HIGH = 256;
const QUEUE_LOW = 64;

/** One editor: JSON-RPC over a pair of byte streams. Knows nothing of what is said. */
export class EditorConnection {
  private readonly writer: SplicingWriter;
  private readonly rpc: MessageConnection;
  private readonly input: Readable;
  private over = false;
  /** Read and not yet dispatched. */
  private queued = 0;
  private readonly stoppedBy = new Set<"queue" | "backlog">();

  constructor(input: Readable, output: Writable, handlers: EditorHandlers) {
    this.input = input;
    this.writer = new SplicingWriter(output);
    const close = (reason?: string) => {
      if (this.over) return;
      this.over = true;
      handlers.closed(reason);
    };
    const reader = new FrameReader(input, {
      fault: ({ code, text, id }) => {
        handlers.log(`From the editor: ${text}`);
        const isOpen = reader.open.has(String(id));
        void this.writer.write({ jsonrpc: "2.0", id, error: { code, message: text } } as Message);
        // That was the answer to a second request of this id; the first one still waits for its own.
        if (isOpen) reader.open.add(String(id));
      },
      ignored: (text) => handlers.log(`From the editor: ${text}`),
      received: (message) => {
        if (isQueued(message)) this.queued += 1;
        if (this.queued >= QUEUE_HIGH) this.stopReading("queue");
      },
      lost: (reason) => close(`cannot read the input any further: ${reason}`),
    });
    this.writer.onResponse = (id) => reader.open.delete(String(id));

    // The handler of a request is called synchronously inside handleMessage: this is how it learns the id.
    let current: RequestMessage["id"] = null;
    this.rpc = createMessageConnection(
      reader,
      this.writer,
      { error: handlers.log, warn: handlers.log, info: handlers.log, log: handlers.log },
      {
        cancellationStrategy: {
          receiver: CancellationReceiverStrategy.Message,
          sender: {
            // A dialog that closes because the editor has gone: there is nobody to tell.
            sendCancellation: async (_connection, id) => this.notify("$/cancelRequest", { id }),
            cleanup: () => {},
          },
        },
        messageStrategy: {
          handleMessage: (message, next) => {
            if (isQueued(message)) this.queued -= 1;
            if (this.queued <= QUEUE_LOW) this.readOn("queue");
            current = "id" in message ? (message as RequestMessage).id : null;
            return next(message);
          },
        },
      },
    );
    this.rpc.onRequest((method, params, token) => handlers.request(method, params, { id: current ?? 0, token }));
    this.rpc.onNotification((method, params) => handlers.notification(method, params));
    this.rpc.onClose(() => close());
    this.rpc.onError(([error]) => handlers.log(`Connection: ${error.message}`));
    this.rpc.listen();
  }

  /** Sends a notification; never throws, also when the editor has gone. */
  notify(method: string, params: object): void {
    if (!this.over) void this.rpc.sendNotification(method, params).catch(() => {});
  }

  /** Appends a notification whose params are raw JSON; `flush` sends what was appended. */
  notifyRaw(method: string, params: Buffer): void {
    this.writer.notify(method, params);
  }

  flush(): void {
    this.writer.flush();
  }

  /** A request to the editor. Cancelling `token` sends `$/cancelRequest`. Rejects when the editor answers with an error. */
  request(method: string, params: object | RawJson, token: CancellationToken): Promise<unknown> {
    return this.rpc.sendRequest(method, params, token);
  }

  /** While the editor does not read: a promise to wait for before more is produced. */
  drained(): Promise<void> | undefined {
    return this.writer.drained();
  }

  /** The editor is not read any further until every reason to stop is gone. */
  stopReading(why: "queue" | "backlog"): void {
    this.stoppedBy.add(why);
    this.input.pause();
  }

  readOn(why: "queue" | "backlog"): void {
    if (this.stoppedBy.delete(why) && this.stoppedBy.size === 0) this.input.resume();
  }

  /** Resolves when everything written has left the process. */
  async end(): Promise<void> {
    await this.writer.finished();
    this.over = true;
    this.rpc.dispose();
  }
}

/**
 * Whether vscode-jsonrpc is sure to dispatch the message in its turn. The cancellation of a request that is under way never
 * is, and of two responses with one id only one.
 */
function isQueued(message: Message): boolean {
  return "method" in message && message.method !== "$/cancelRequest";
}

/** An error answer. `data` follows the table in `protocol/errors.ts`. */
export function responseError(code: number, message: string, data?: unknown): ResponseError<unknown> {
  return new ResponseError(code, message, data);
}

export const cancelledError = (message = "The request was cancelled."): ResponseError<unknown> =>
  responseError(codes.RequestCancelled, message);
