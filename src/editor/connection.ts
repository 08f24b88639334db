import type { Readable, Writable } from "node:stream";
import {
  type CancellationToken,
  CancellationTokenSource,
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

/** How long a request that is still at work may delay the end, an editor that does not read, and one that reads slowly. */
const LAST_ANSWERS_MS = 300;
const LAST_WRITE_MS = 500;
const LAST_WRITES = 60;

/** One editor: JSON-RPC over a pair of byte streams. Knows nothing of what is said. */
export class EditorConnection {
  private readonly writer: SplicingWriter;
  private readonly rpc: MessageConnection;
  private readonly input: Readable;
  private over = false;
  /** Read and not yet dispatched. */
  private queued = 0;
  /** The requests that wait for their answer; the ones that have not been dispatched yet, too. */
  private readonly open: ReadonlyMap<string, number | string>;
  /** Called when there is none any more. */
  private answered: (() => void) | undefined;
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
        void this.writer.write({ jsonrpc: "2.0", id, error: { code, message: text } } as Message);
      },
      ignored: (text) => handlers.log(`From the editor: ${text}`),
      received: (message) => {
        if (isQueued(message)) this.queued += 1;
        if (this.queued >= QUEUE_HIGH) this.stopReading("queue");
      },
      lost: (reason) => close(`cannot read the input any further: ${reason}`),
    });
    this.open = reader.open;
    this.writer.onRequest = (id) => reader.asked.set(String(id), id);
    this.writer.onResponse = (id) => {
      if (reader.open.get(String(id)) !== id) return;
      reader.open.delete(String(id));
      if (reader.open.size === 0) this.answered?.();
    };

    // The handler of a request is called synchronously inside handleMessage: this is how it learns the id.
    let current: RequestMessage["id"] = null;
    this.rpc = createMessageConnection(
      reader,
      this.writer,
      { error: handlers.log, warn: handlers.log, info: handlers.log, log: handlers.log },
      {
        cancellationStrategy: {
          receiver: {
            createCancellationTokenSource: () => {
              const source = new CancellationTokenSource();
              // Looked at before it is cancelled: otherwise a second $/cancelRequest for the same request would throw.
              void source.token;
              return source;
            },
          },
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

  /**
   * Sends a notification. Never throws; an editor that has closed its end and still reads gets it, as it gets its answers.
   */
  notify(method: string, params: object): void {
    void this.writer.write({ jsonrpc: "2.0", method, params } as Message);
  }

  /** Appends a notification whose params are raw JSON; `flush` sends what was appended. */
  notifyRaw(method: string, params: Buffer): void {
    this.writer.notify(method, params);
  }

  flush(): void {
    this.writer.flush();
  }

  /**
   * A request to the editor. Cancelling `token` sends `$/cancelRequest`. Rejects when the editor answers with an error, or is
   * gone; it never throws: timers call it.
   */
  async request(method: string, params: object | RawJson, token: CancellationToken): Promise<unknown> {
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

  /**
   * Ends the connection: resolves when every request has been answered, and everything written has left the process,
   * as far as the editor reads it. The requests that are at work for too long are answered with `error`.
   */
  async end(error: ResponseError<unknown>): Promise<void> {
    if (this.open.size > 0) {
      await new Promise<void>((resolve) => {
        this.answered = resolve;
        setTimeout(resolve, LAST_ANSWERS_MS);
      });
    }
    for (const id of [...this.open.values()]) void this.writer.write({ jsonrpc: "2.0", id, error } as Message);
    await this.written();
    this.writer.end();
    this.over = true;
    this.rpc.dispose();
  }

  /** Resolves when everything has left the process, or when the editor has not read anything for a while. */
  private async written(): Promise<void> {
    const finished = this.writer.finished().then(() => true);
    for (let round = 0; round < LAST_WRITES; round++) {
      const before = this.writer.unread;
      const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), LAST_WRITE_MS));
      if ((await Promise.race([finished, pause])) || this.writer.unread >= before) return;
    }
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

/** The answer, or at once the error that says that nobody waits for it any more. */
export function unlessCancelled<T>(answer: T | PromiseLike<T>, token: CancellationToken): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(cancelledError());
    const listener = token.onCancellationRequested(cancel);
    Promise.resolve(answer)
      .then(resolve, reject)
      .finally(() => listener.dispose());
    if (token.isCancellationRequested) cancel();
  });
}
