import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { getDefaultHighWaterMark, setDefaultHighWaterMark, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { LineSplitter } from "./lines.ts";
import { StderrTail } from "./stderr.ts";

export interface Exit {
  exitCode: number | null;
  signal: string | null;
}

export interface ProcessEvents {
  /** One line of stdout, in order. The next one waits for the promise. */
  line(line: Buffer): Promise<void> | undefined;
  /** A chunk's lines are through. pi is not read any further before the promise resolves. */
  chunkEnd(): Promise<void> | undefined;
  stderr(text: string): void;
  /** stdin, which was full, takes lines again. */
  drained(): void;
  /** Nothing more will come: the process has ended and its stdout is read to the end. Called once. */
  ended(exit: Exit): void;
}

/** How long pi may clean up after its stdin was closed and SIGTERM sent. */
const GRACE_MS = 1500;
/** A child of pi's that inherited its stdout must not keep the dead process open for us. */
const SILENCE_AFTER_EXIT_MS = 500;

/**
 * pi writes every record by itself. Read one by one, the records of a burst would cost more in wake-ups than in work,
 * and take the processor from pi: what comes faster than this is left to gather in the pipe for a moment.
 */
const BURST_BYTES_PER_MS = 4096;
const GATHER_MS = 1;
/** A chunk of this size needs no more gathering, and the pipe of a large record is not to be left full. */
const GATHERED_BYTES = 32 * 1024;

/** One running pi: lines in, lines out. */
export class PiProcess {
  readonly pid: number | undefined;
  readonly stderr = new StderrTail();
  private readonly stdin: Writable;
  private readonly kill: (signal: NodeJS.Signals) => void;
  private readonly exit: Promise<Exit>;

  /** Rejects with the operating system's error (`code`) when there is no process; `ended` is not called then. */
  static async start(
    words: readonly string[],
    options: { cwd: string; env: NodeJS.ProcessEnv },
    events: ProcessEvents,
  ): Promise<PiProcess> {
    // Loaded here, so that `initialize` is answered before.
    const { execa } = await import("execa");
    const [file = "", ...args] = words;
    const subprocess = withoutReadAhead(() =>
      execa(file, args, {
        ...options,
        extendEnv: false,
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
        buffer: false,
        reject: false,
        windowsHide: true,
      }),
    );
    if (subprocess.pid === undefined) {
      const { message, code } = (await subprocess) as { message?: string; code?: string };
      throw Object.assign(new Error(message ?? "the process could not be started"), { code });
    }
    return new PiProcess(subprocess.nodeChildProcess as ChildProcessWithoutNullStreams, events);
  }

  private constructor(child: ChildProcessWithoutNullStreams, events: ProcessEvents) {
    this.pid = child.pid;
    this.stdin = child.stdin;
    this.kill = (signal) => void child.kill(signal);
    // A write to a pi that has just ended: the exit tells more than EPIPE does.
    child.stdin.on("error", () => {});
    child.stdin.on("drain", events.drained);
    child.stderr.on("data", (chunk: Buffer) => events.stderr(this.stderr.push(chunk)));
    child.stderr.on("error", () => {});

    const { stdout } = child;
    const splitter = new LineSplitter();
    let waitingSince: number | undefined = Date.now();
    let lastAt = 0;
    const handOn = (lines: Buffer[], from: number): Promise<void> | undefined => {
      for (let at = from; at < lines.length; at++) {
        const wait = events.line(lines[at] as Buffer);
        if (wait) return wait.then(() => handOn(lines, at + 1));
      }
      return events.chunkEnd();
    };
    let handedOn = Promise.resolve();
    stdout.on("data", (chunk: Buffer) => {
      waitingSince = undefined;
      const now = performance.now();
      const isBurst = chunk.length < GATHERED_BYTES && chunk.length > (now - lastAt) * BURST_BYTES_PER_MS;
      lastAt = now;
      const wait = handOn(splitter.push(chunk), 0) ?? (isBurst ? sleep(GATHER_MS) : undefined);
      if (!wait) {
        waitingSince = Date.now();
        return;
      }
      stdout.pause();
      handedOn = wait.then(() => {
        waitingSince = Date.now();
        stdout.resume();
      });
    });
    // The pipe is destroyed below; what could be read has been read.
    stdout.on("error", () => {});
    const reading = new Promise((resolve) => stdout.once("close", resolve)).then(async () => {
      await handedOn;
      const rest = splitter.rest();
      if (rest.length > 0) events.stderr(`stdout ended inside a record: ${rest.subarray(0, 200).toString()}\n`);
    });
    this.exit = new Promise<Exit>((resolve) =>
      child.once("exit", (exitCode, signal) => {
        const watch = setInterval(() => {
          if (waitingSince !== undefined && Date.now() - waitingSince > SILENCE_AFTER_EXIT_MS) stdout.destroy();
        }, SILENCE_AFTER_EXIT_MS / 2);
        void reading.finally(() => clearInterval(watch));
        resolve({ exitCode, signal });
      }),
    );
    void Promise.all([this.exit, reading]).then(([exit]) => events.ended(exit));
  }

  /** False when stdin is full; `drained` is called when it is not any more. */
  write(line: string): boolean {
    return this.stdin.write(`${line}\n`);
  }

  /** Asks pi to end, and ends it if it does not. Resolves when it has ended, also while nobody reads what it wrote. */
  stop(): Promise<Exit> {
    this.stdin.end();
    if (process.platform !== "win32") this.kill("SIGTERM");
    const timer = setTimeout(() => this.kill("SIGKILL"), GRACE_MS);
    return this.exit.finally(() => clearTimeout(timer));
  }
}

/**
 * Calls SPAWN, which makes its streams synchronously, with the smallest buffers. A paused stream would otherwise read on,
 * a record at a time, until its buffer is full; so would the commands that wait for pi lie where `abort` cannot overtake
 * them.
 */
function withoutReadAhead<T>(spawn: () => T): T {
  const usual = getDefaultHighWaterMark(false);
  setDefaultHighWaterMark(false, 1);
  try {
    return spawn();
  } finally {
    setDefaultHighWaterMark(false, usual);
  }
}
