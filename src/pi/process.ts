import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Writable } from "node:stream";
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
const LOOK_AFTER_EXIT_MS = 150;
const QUIET_LOOKS = 3;

/**
 * pi writes every record by itself, and in a burst each one would wake this process, and the editor, for a few
 * microseconds of work: time that pi itself could use. What comes faster than this is left to gather in the pipe. Not for
 * longer, since the pipe holds a hundred records, and then pi waits; timers are too coarse for that, hence `nap`. Other
 * systems have smaller pipes or coarser clocks.
 */
const BURST_BYTES_PER_MS = 4096;
const NAP_MS = process.platform === "linux" ? 0.5 : 0;
/** A chunk of this size needs no gathering: pi is ahead already. */
const GATHERED_BYTES = 16 * 1024;

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
    const subprocess = execa(file, args, {
      ...options,
      extendEnv: false,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      buffer: false,
      reject: false,
      windowsHide: true,
    });
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
    /** What has come and is held back; undefined: nothing is. */
    let heldBack: Promise<void> | undefined;
    stdout.on("data", (chunk: Buffer) => {
      waitingSince = undefined;
      const now = performance.now();
      const isBurst = chunk.length < GATHERED_BYTES && chunk.length > (now - lastAt) * BURST_BYTES_PER_MS;
      lastAt = now;
      const lines = splitter.push(chunk);
      // Node reads on by itself when the process has ended, paused or not.
      const wait = heldBack ? heldBack.then(() => handOn(lines, 0)) : handOn(lines, 0);
      if (!wait) {
        // Inside a long record there is nothing to gather: it goes on when it is whole.
        if (isBurst && lines.length > 0) nap();
        waitingSince = Date.now();
        return;
      }
      stdout.pause();
      const held = wait.then(() => {
        if (heldBack !== held) return;
        heldBack = undefined;
        waitingSince = Date.now();
        stdout.resume();
      });
      heldBack = held;
    });
    // The pipe is destroyed below; what could be read has been read.
    stdout.on("error", () => {});
    const reading = new Promise((resolve) => stdout.once("close", resolve)).then(async () => {
      await heldBack;
      const rest = splitter.rest();
      if (rest.length > 0) events.stderr(`stdout ended inside a record: ${rest.subarray(0, 200).toString()}\n`);
    });
    this.exit = new Promise<Exit>((resolve) =>
      child.once("exit", (exitCode, signal) => {
        // Counted in looks and not in time: a machine that is busy elsewhere may keep us from reading what is there.
        let quietLooks = 0;
        let lastSeen: number | undefined;
        const watch = setInterval(() => {
          quietLooks = waitingSince !== undefined && waitingSince === lastSeen ? quietLooks + 1 : 0;
          lastSeen = waitingSince;
          if (quietLooks >= QUIET_LOOKS) stdout.destroy();
        }, LOOK_AFTER_EXIT_MS);
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

const neverWoken = new Int32Array(new SharedArrayBuffer(4));

/** Stands still: nothing else happens in this process meanwhile. */
function nap(): void {
  Atomics.wait(neverWoken, 0, 0, NAP_MS);
}
