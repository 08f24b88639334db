import type { Bridge } from "./bridge.ts";
import { frame, Unframer } from "./frames.ts";

export interface RpcError {
  code: number;
  message: string;
  data?: Record<string, unknown>;
}

/** A message that the bridge sent. */
export interface Message {
  /** Its place in the order of all. */
  at: number;
  /** The body, verbatim. */
  text: string;
  id?: number | string | null;
  method?: string;
  params: Record<string, unknown>;
  result?: unknown;
  error?: RpcError;
}

/** What a request came to. `at` is not a member, so that whole answers can be compared. */
export type Answer = { result: unknown } | { error: RpcError };
export type Pending = Promise<Answer> & { id: number | string };

/** A method's name, or a test of the message. */
export type Match = string | ((message: Message) => boolean);

/** A JSON-RPC client that sends what it is told, also nonsense, and keeps all that it gets, in order. */
export class Editor {
  readonly bridge: Bridge;
  /** No test waits for time. This is how long a fact may take before its absence is one. */
  deadlineMs = 20_000;
  readonly received: Message[] = [];
  /** The ids of the requests that were sent, each once for each time. */
  readonly asked: (number | string)[] = [];
  private readonly unframer = new Unframer();
  private nextId = 1;
  private wake: (() => void)[] = [];
  private fault: Error | undefined;

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    bridge.onData((chunk) => this.receive(chunk));
    void bridge.ended.then(({ code, signal, stderr }) => {
      this.fail(new Error(`the bridge has ended (${code ?? signal}) ${stderr}`));
    });
  }

  /** Bytes as they are. */
  bytes(bytes: Buffer | string): void {
    this.bridge.write(Buffer.from(bytes));
  }

  /** One frame. */
  send(message: unknown): void {
    this.bytes(frame(JSON.stringify(message)));
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  request(method: string, params?: unknown, id: number | string = this.nextId++): Pending {
    this.asked.push(id);
    this.send({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    return this.answerTo(id);
  }

  /** The answer to a request that was sent by other means. */
  answerTo(id: number | string | null, from = this.received.length): Pending {
    const answer = this.until((message) => message.id === id && message.method === undefined, from).then(
      ({ result, error }): Answer => (error ? { error } : { result }),
    );
    // A test may fail elsewhere before it looks at this answer.
    answer.catch(() => {});
    return Object.assign(answer, { id: id ?? 0 });
  }

  /** The result. Throws the error answer. */
  async call(method: string, params?: unknown): Promise<unknown> {
    const answer = await this.request(method, params);
    if ("error" in answer) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  cancel(id: number | string): void {
    this.notify("$/cancelRequest", { id });
  }

  /** Answers a request of the bridge's. */
  answer({ id }: Message, result: unknown): void {
    this.send({ jsonrpc: "2.0", id, result });
  }

  refuse({ id }: Message, error: RpcError): void {
    this.send({ jsonrpc: "2.0", id, error });
  }

  /** The first matching message from FROM on (a message: those after it). Waits for it. */
  async until(match: Match, from: number | Message = 0): Promise<Message> {
    const matches = typeof match === "string" ? (message: Message) => message.method === match : match;
    const start = typeof from === "number" ? from : from.at + 1;
    const deadline = Date.now() + this.deadlineMs;
    for (let at = start; ; ) {
      for (; at < this.received.length; at++) {
        const message = this.received[at];
        if (message && matches(message)) return message;
      }
      if (this.fault) throw this.waitedInVain(match, this.fault.message);
      await this.next(deadline, () => this.waitedInVain(match, `nothing within ${this.deadlineMs} ms`));
    }
  }

  /** What has come with this method so far. */
  all(method: string): Message[] {
    return this.received.filter((message) => message.method === method);
  }

  /** The methods of everything received from FROM on, in order; answers as `answer <id>`. */
  order(from = 0): string[] {
    return this.received.slice(from).map(({ method, id }) => method ?? `answer ${id}`);
  }

  /** True when the stream may end where it is. */
  get isBetweenMessages(): boolean {
    return this.unframer.isBetweenFrames;
  }

  private receive(chunk: Buffer): void {
    try {
      for (const body of this.unframer.push(chunk)) this.take(body.toString("utf8"));
    } catch (error) {
      this.fail(error as Error);
    }
    this.wakeAll();
  }

  private take(text: string): void {
    const { params, ...message } = JSON.parse(text) as Omit<Message, "at" | "text">;
    this.received.push({ ...message, params: params ?? {}, at: this.received.length, text });
    const fault = /pi-language-server play: [^"]*/.exec(message.method === "window/logMessage" ? text : "");
    if (fault) this.fail(new Error(fault[0]));
  }

  private fail(error: Error): void {
    this.fault ??= error;
    this.wakeAll();
  }

  private wakeAll(): void {
    const wake = this.wake;
    this.wake = [];
    for (const one of wake) one();
  }

  private next(deadline: number, timeout: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(timeout()), Math.max(0, deadline - Date.now()));
      this.wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private waitedInVain(match: Match, why: string): Error {
    const last = this.received.slice(-12).map(({ text }) => `  ${text.slice(0, 300)}`);
    return new Error(`waited for ${match}: ${why}. The last messages:\n${last.join("\n")}`);
  }
}
