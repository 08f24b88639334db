import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const BUNDLE = path("../dist/pi-language-server.cjs");
export const PI = realpathSync(path("../node_modules/.bin/pi"));
export const MODEL = path("./model.ts");

/** Real pi, with the model of `model.ts`. */
export const REAL_PI = [process.execPath, PI, "-e", MODEL, "--provider", "bench", "--model", "deltas"];
/** A process that acts as pi and plays what the prompt names. */
export const PLAYER = [process.execPath, path("./player.ts")];
/** The bridge as one would write it in an afternoon. */
export const PLAIN_BRIDGE = [process.execPath, path("./plain-bridge.ts")];
const BRIDGE = [process.execPath, BUNDLE];

/** A folder of this run's own: pi must neither find nor change anything of the person's who measures. */
export const folder = mkdtempSync(join(tmpdir(), "pi-language-server-bench-"));
export const env = { ...process.env, HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent"), PI_OFFLINE: "1" };

const running = new Set<ChildProcessWithoutNullStreams>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/**
 * What pi and the bridge are compared through. It cuts its input into records and looks at how each begins; all else
 * would be the same on both sides and hide the difference.
 */
export abstract class Client {
  readonly process: ChildProcessWithoutNullStreams;
  /** Called with every record: a line of pi's, or the body of a message. It shares memory with what was read. */
  onRecord: (record: Buffer) => void = () => {};
  protected parts: Buffer[] = [];
  private readonly awaited: { head: Buffer; resolve(record: Buffer): void }[] = [];
  private nextId = 1;

  constructor(words: readonly string[], extraEnv: Record<string, string> = {}) {
    const [file = "", ...args] = words;
    this.process = spawn(file, args, { env: { ...env, ...extraEnv }, cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    this.process.stdout.on("data", (chunk: Buffer) => this.read(chunk));
    this.process.stderr.pipe(process.stderr);
    running.add(this.process);
    this.process.once("exit", () => running.delete(this.process));
  }

  protected abstract read(chunk: Buffer): void;
  protected abstract request(id: number, command: string, params: object): string;
  protected abstract answerHead(id: number): string;
  protected abstract eventHead(type: string): string;

  /** Sends a command; resolves with the record that answers it. */
  call(command: string, params: object = {}): Promise<Buffer> {
    const id = this.nextId++;
    const answer = this.until(this.answerHead(id));
    this.process.stdin.write(this.request(id, command, params));
    return answer;
  }

  /** The next event of this type. */
  event(type: string): Promise<Buffer> {
    return this.until(this.eventHead(type));
  }

  /** From the prompt to the end of the run, in milliseconds. */
  async run(message: string): Promise<number> {
    const start = performance.now();
    const settled = this.event("agent_settled");
    await this.call("prompt", { message });
    await settled;
    return performance.now() - start;
  }

  async end(): Promise<void> {
    const exit = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin.end();
    this.process.kill("SIGTERM");
    await exit;
  }

  protected until(head: string): Promise<Buffer> {
    return new Promise((resolve) => this.awaited.push({ head: Buffer.from(head), resolve }));
  }

  /** The record that ends with `last`. A long one is joined once. */
  protected complete(last: Buffer): void {
    let record = last;
    if (this.parts.length > 0) {
      record = Buffer.concat([...this.parts, last]);
      this.parts = [];
    }
    for (const entry of this.awaited) {
      const { head, resolve } = entry;
      if (record.length < head.length || record.compare(head, 0, head.length, 0, head.length) !== 0) continue;
      this.awaited.splice(this.awaited.indexOf(entry), 1);
      resolve(record);
      break;
    }
    this.onRecord(record);
  }
}

/** Speaks pi's own protocol, with nothing between. */
export class RawClient extends Client {
  static async start(words: readonly string[], args: readonly string[] = ["--no-session"]): Promise<RawClient> {
    const client = new RawClient([...words, "--mode", "rpc", ...args]);
    await client.call("get_state");
    return client;
  }

  protected read(chunk: Buffer): void {
    let at = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, at)) {
      this.complete(chunk.subarray(at, end));
      at = end + 1;
    }
    if (at < chunk.length) this.parts.push(chunk.subarray(at));
  }

  protected request(id: number, command: string, params: object): string {
    return `${JSON.stringify({ ...params, id: `${id}`, type: command })}\n`;
  }

  protected answerHead(id: number): string {
    return `{"id":"${id}","type":"response",`;
  }

  protected eventHead(type: string): string {
    return `{"type":"${type}"`;
  }
}

/** Speaks JSON-RPC in frames. */
export class BridgeClient extends Client {
  private missing = 0;

  static async start(pi: readonly string[], args = ["--no-session"], bridge = BRIDGE): Promise<BridgeClient> {
    const client = await BridgeClient.initialize(pi, args, bridge);
    await client.call("get_state");
    return client;
  }

  /** A bridge that has answered `initialize`; pi is about to be started. */
  static async initialize(pi: readonly string[], args = ["--no-session"], bridge = BRIDGE): Promise<BridgeClient> {
    const client = new BridgeClient(bridge);
    const initializationOptions = { command: pi, args, pi: { events: true } };
    const answer = client.until(client.answerHead(0));
    client.process.stdin.write(frame({ id: 0, method: "initialize", params: { initializationOptions } }));
    await answer;
    return client;
  }

  protected read(chunk: Buffer): void {
    let at = 0;
    let input = chunk;
    while (at < input.length) {
      if (this.missing === 0) {
        if (this.parts.length > 0) input = Buffer.concat([...this.parts.splice(0), input]);
        const bodyStart = input.indexOf("\r\n\r\n", at) + 4;
        if (bodyStart === 3) break;
        this.missing = Number(input.toString("latin1", at + "Content-Length: ".length, bodyStart - 4));
        at = bodyStart;
      }
      const end = at + this.missing;
      if (end > input.length) {
        this.missing = end - input.length;
        break;
      }
      this.missing = 0;
      this.complete(input.subarray(at, end));
      at = end;
    }
    if (at < input.length) this.parts.push(input.subarray(at));
  }

  protected request(id: number, command: string, params: object): string {
    return frame({ id, method: `pi/${command}`, params });
  }

  protected answerHead(id: number): string {
    return `{"jsonrpc":"2.0","id":${id},`;
  }

  protected eventHead(type: string): string {
    return `{"jsonrpc":"2.0","method":"pi/${type}",`;
  }
}

function frame(message: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
