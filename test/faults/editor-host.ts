import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Bridge, BUNDLE, type Ended } from "../support/bridge.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { Order } from "./editor-process.ts";

/** A bridge behind an editor that is a process, too. */
export class EditorHost implements Bridge {
  readonly editor: ChildProcess;
  /** The bridge's own process. */
  readonly started: Promise<number>;
  /** How the bridge ended; when the editor was killed, that it did. */
  readonly ended: Promise<Ended>;
  bridgePid: number | undefined;
  hasEnded = false;
  private stderr = "";

  constructor(sandbox: Sandbox) {
    const words = [join(import.meta.dirname, "editor-process.ts"), process.execPath, BUNDLE];
    this.editor = spawn(process.execPath, words, {
      cwd: sandbox.project,
      env: sandbox.env,
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    });
    this.editor.stdin?.on("error", () => {});
    this.editor.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.started = promise;
    this.ended = new Promise((resolve) => {
      let how: Omit<Ended, "stderr"> = { code: null, signal: null };
      this.editor.on("message", (message: { pid: number } | Omit<Ended, "stderr">) => {
        if ("code" in message) how = message;
      });
      // With what the bridge has written last.
      this.editor.on("close", () => {
        this.hasEnded = true;
        resolve({ ...how, stderr: this.stderr.slice(0, 2000) });
      });
    });
    this.editor.on("message", (message: { pid?: number }) => {
      if (message.pid === undefined) return;
      this.bridgePid = message.pid;
      resolve(message.pid);
    });
  }

  get pid(): number | undefined {
    return this.editor.pid;
  }

  order(order: Order): void {
    this.editor.send(order, () => {});
  }

  write(bytes: Buffer): void {
    this.editor.stdin?.write(bytes);
  }

  endInput(): void {
    this.order("close stdin");
  }

  pause(): void {
    this.order("stop reading");
  }

  resume(): void {
    this.order("read on");
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.editor.stdout?.on("data", listener);
  }

  kill(signal: NodeJS.Signals): void {
    this.editor.kill(signal);
  }
}
