import { PiError } from "./error.ts";
import { checkFolder, findExecutable } from "./executable.ts";
import { type Launch, launchWords, type Resume } from "./launch.ts";
import { preflight } from "./preflight.ts";
import { type Exit, PiProcess, type ProcessEvents } from "./process.ts";
import { readRecord } from "./record.ts";
import { startFailure } from "./start-failure.ts";
import { piVersion } from "./version.ts";

export interface StartEvents extends ProcessEvents {
  /** The process is there, and not ready yet. */
  spawned(process: PiProcess): void;
  /** The question that tells whether pi is ready, and its answer, for the trace. */
  traffic(direction: "toPi" | "fromPi", line: Buffer | string): void;
  /** It has ended, ready or not, and was not told to. */
  exited(exit: Exit): void;
}

export interface Started {
  process: PiProcess;
  /** The answer to the first `get_state`. */
  state: object;
  /** pi's version; undefined where it cannot be told. */
  version: Promise<string | undefined>;
}

const PROBE_ID = "ready";
/** The only sign that pi is ready: it reads its stdin after everything else is set up. */
const PROBE = JSON.stringify({ id: PROBE_ID, type: "get_state" });
/** Node takes a longer delay for none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const FOREIGN_CHARACTERS = 2000;

/**
 * Starts pi and waits until it answers. Records that come before go through `events` as all later ones do.
 * SIGNAL ends what still asks for the version afterwards.
 * @throws PiError `unavailable`, with the reason; no process is left then.
 */
export async function startPi(
  launch: Launch,
  resume: Resume | undefined,
  env: NodeJS.ProcessEnv,
  events: StartEvents,
  signal: AbortSignal,
): Promise<Started> {
  const words = launchWords(launch, resume);
  checkFolder(launch);
  const file = findExecutable(launch, env);
  preflight(launch, env);
  const { promise: ready, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  let isReady = false;
  let timedOut = false;
  let foreign = "";
  const failure = (end: Exit | { startTimeoutMs: number }) =>
    startFailure(words, end, [foreign, process.stderr.toString()].filter(Boolean).join("\n"));
  const process = await spawn(words, file, launch, env, {
    ...events,
    line: (line) => {
      if (isReady) return events.line(line);
      const record = readRecord(line);
      if (record.is === "foreign") foreign = (foreign + line.toString()).slice(-FOREIGN_CHARACTERS);
      const isProbe = (record.is === "response" || record.is === "failure") && record.id === PROBE_ID;
      if (!isProbe) return events.line(line);
      isReady = true;
      events.traffic("fromPi", line);
      resolve(record.is === "response" ? record.data : undefined);
      // The rest of the chunk belongs to a pi that is known to be ready.
      return new Promise((done) => setImmediate(done));
    },
    ended: (exit) => {
      if (!timedOut) events.exited(exit);
      if (isReady) events.ended(exit);
      else reject(failure(timedOut ? launch : exit));
    },
  });
  events.spawned(process);
  const timer = setTimeout(
    () => {
      // Its end is what rejects: the next attempt must not meet it.
      timedOut = true;
      void process.stop();
    },
    Math.min(launch.startTimeoutMs, MAX_TIMER_MS),
  );
  events.traffic("toPi", PROBE);
  process.write(PROBE);
  try {
    const data = await ready;
    return {
      process,
      state: JSON.parse(data?.toString("utf8") ?? "{}"),
      version: piVersion([file, ...launch.command.slice(1)], env, signal),
    };
  } finally {
    clearTimeout(timer);
  }
}

async function spawn(words: string[], file: string, launch: Launch, env: NodeJS.ProcessEnv, events: ProcessEvents) {
  try {
    return await PiProcess.start([file, ...words.slice(1)], { cwd: launch.cwd, env }, events);
  } catch (error) {
    // What the look-up before did not foresee: a script without an interpreter, a broken binary.
    const { message, code } = error as { message: string; code?: string };
    throw new PiError(`pi cannot be started: ${message}`, {
      kind: "unavailable",
      reason: code === "EACCES" || code === "ENOEXEC" ? "not_executable" : "not_found",
      hint: "The system could not run the command. Name another one with --pi or the option `command`.",
      command: words,
    });
  }
}
