import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { type ServeOptions, serve } from "../../src/serve.ts";
import { isRunning } from "./processes.ts";
import type { Sandbox } from "./sandbox.ts";

export const BUNDLE = join(resolve(import.meta.dirname, "../.."), "dist/pi-language-server.cjs");

/** How a bridge ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Its stderr; of one in memory, the reason that would be written there. */
  stderr: string;
}

/** A bridge, as bytes in and bytes out. */
export interface Bridge {
  readonly pid: number | undefined;
  write(bytes: Buffer): void;
  /** Ends the bridge's input. */
  endInput(): void;
  /** Stops and resumes reading what the bridge writes. */
  pause(): void;
  resume(): void;
  onData(listener: (chunk: Buffer) => void): void;
  readonly ended: Promise<Ended>;
  readonly hasEnded: boolean;
  /** Of a process. In memory it is an end of the input. */
  kill(signal: NodeJS.Signals): void;
}

/** The bundled executable, as an editor starts it. */
export class BridgeProcess implements Bridge {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  hasEnded = false;
  private stderr = "";

  constructor(sandbox: Sandbox, args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [BUNDLE, ...args], {
      cwd: sandbox.project,
      env: { ...sandbox.env, ...env },
      stdio: "pipe",
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    // The bridge may end while it is being written to; its exit code tells more than EPIPE does.
    this.child.stdin?.on("error", () => {});
    this.ended = new Promise((resolve) =>
      this.child.on("close", (code, signal) => {
        this.hasEnded = true;
        resolve({ code, signal, stderr: shortened(this.stderr) });
      }),
    );
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  write(bytes: Buffer): void {
    this.child.stdin?.write(bytes);
  }

  endInput(): void {
    this.child.stdin?.end();
  }

  pause(): void {
    this.child.stdout?.pause();
  }

  resume(): void {
    this.child.stdout?.resume();
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.child.stdout?.on("data", listener);
  }

  kill(signal: NodeJS.Signals): void {
    if (this.pid !== undefined && isRunning(this.pid)) this.child.kill(signal);
  }
}

/** The same in this process, with streams in memory. */
export class BridgeInMemory implements Bridge {
  readonly pid = undefined;
  readonly ended: Promise<Ended>;
  hasEnded = false;
  private readonly input = new PassThrough();
  private readonly output = new PassThrough();

  constructor(sandbox: Sandbox, options: Partial<ServeOptions> = {}) {
    this.ended = new Promise((resolve) => {
      serve({
        input: this.input,
        output: this.output,
        version: "0.0.0",
        flags: { cwd: undefined },
        env: sandbox.env,
        ended: (code, reason) => {
          this.hasEnded = true;
          resolve({ code, signal: null, stderr: reason ?? "" });
        },
        ...options,
      });
    });
  }

  write(bytes: Buffer): void {
    this.input.write(bytes);
  }

  endInput(): void {
    this.input.end();
  }

  pause(): void {
    this.output.pause();
  }

  resume(): void {
    this.output.resume();
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.output.on("data", listener);
  }

  kill(): void {
    this.endInput();
  }
}

/** A stack trace quotes its line of the bundle, and that line is the bundle. */
function shortened(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line))
    .join("\n");
}
