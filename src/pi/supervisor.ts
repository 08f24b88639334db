import { existsSync } from "node:fs";
import { commandSpec } from "../protocol/commands.ts";
import { Call } from "./calls.ts";
import { Cancelled, PiError, UnknownCommand } from "./error.ts";
import { findExecutable } from "./executable.ts";
import { type Launch, launchWords, type Resume } from "./launch.ts";
import { Outbox } from "./outbox.ts";
import { type Exit, PiProcess } from "./process.ts";
import { type PiRecord, parseRecord, readRecord } from "./record.ts";
import { startFailure } from "./start-failure.ts";
import { Status } from "./status.ts";
import { askVersion, packageVersion } from "./version.ts";

export type State =
  | { is: "stopped"; error?: PiError | undefined }
  | { is: "starting"; words: string[] }
  | { is: "ready"; words: string[]; process: PiProcess }
  | { is: "failed"; error: PiError };

export interface SupervisorEvents {
  /** An event or a UI record, in the order in which pi wrote it. */
  record(record: Extract<PiRecord, { is: "event" | "ui" }>): void;
  /** The records of a chunk, or those before a response, are through. A promise holds pi's output back. */
  flush(): Promise<void> | undefined;
  /** The state or the status has changed. */
  changed(): void;
  /** A command with this reason to close dialogs has just been written. */
  closeDialogs(reason: "abort" | "session_replaced" | "exited"): void;
  log(level: "info" | "warning" | "error", text: string): void;
  /** Bytes that wait for pi; called when it takes more, or stops taking. */
  backlog(bytes: number): void;
  /** Every line in either direction, for the trace. */
  traffic(direction: "to-pi" | "from-pi", line: Buffer | string): void;
}

/** Runs pi: starts it when it is needed, hands it commands in order, and answers every one of them exactly once. */
export class Supervisor {
  readonly status = new Status();
  state: State = { is: "stopped" };
  restarts = 0;
  version: string | undefined;
  private launch: Launch;
  private readonly baseEnv: NodeJS.ProcessEnv;
  private readonly events: SupervisorEvents;
  private readonly outbox: Outbox;
  /** Written and not yet answered, by the id that pi repeats. */
  private readonly open = new Map<string, Call>();
  private process: PiProcess | undefined;
  /** The process that is being started, or was: `stop` must not miss one that is just coming into being. */
  private spawned: Promise<PiProcess> | undefined;
  /** Processes that were given up and have not ended yet. */
  private readonly dying = new Set<Promise<unknown>>();
  private nextId = 1;
  private refreshing: "no" | "asked" | "again" = "no";
  private stopping: Promise<void> | undefined;

  constructor(launch: Launch, baseEnv: NodeJS.ProcessEnv, events: SupervisorEvents) {
    this.launch = launch;
    this.baseEnv = baseEnv;
    this.events = events;
    this.outbox = new Outbox((line) => this.write(line));
  }

  /** How pi is started from now on. */
  configure(launch: Launch): void {
    this.launch = launch;
  }

  get cwd(): string {
    return this.launch.cwd;
  }

  /** The words and the process of the pi that there is, for the state. */
  get running(): { words: string[]; pid: number | undefined } | undefined {
    if (this.state.is !== "starting" && this.state.is !== "ready") return undefined;
    return { words: this.state.words, pid: this.process?.pid };
  }

  /**
   * Queues a command. It is on its way, or waiting for its turn, when this returns.
   * @throws PiError `too_large`; nothing has been sent then.
   */
  call(command: string, params: object): Call {
    const id = `r${this.nextId++}`;
    const line = JSON.stringify({ ...params, id, type: command });
    const bytes = Buffer.byteLength(line);
    const limit = this.launch.maxCommandBytes;
    if (bytes > limit) {
      throw new PiError(
        `${command} is too large for pi: ${bytes} bytes, the limit is ${limit}. Shrink the images or split the text.`,
        { kind: "too_large", bytes, limit },
      );
    }
    const { message } = params as { message?: unknown };
    const typed = typeof message === "string" ? message : undefined;
    const spec = commandSpec(command);
    return this.send(this.newCall({ id, command, line, spec, typed, drops: spec?.drops }));
  }

  /** Takes a call back: it is never sent, or pi is told, or its late answer is dropped, as the table says. */
  cancel(call: Call): void {
    if (this.outbox.remove(call)) return void call.reject(new Cancelled());
    const stop = call.spec?.cancel?.send;
    if (stop && this.open.get(call.id) === call) this.own(stop);
    else call.reject(new Cancelled());
  }

  /** Answers one of pi's dialogs; false when there is no pi to hear it. */
  answerDialog(answer: object): boolean {
    if (this.state.is !== "ready" && this.state.is !== "starting") return false;
    this.outbox.urgent(JSON.stringify({ type: "extension_ui_response", ...answer }));
    return true;
  }

  /** Starts pi if it is not there; what is called meanwhile waits. Never throws: a failure is in `state` and in the answers. */
  start(): void {
    if (this.stopping || this.state.is === "starting" || this.state.is === "ready") return;
    const resume = this.resume();
    if (resume) this.restarts += 1;
    const words = launchWords(this.launch, resume);
    this.become({ is: "starting", words });
    void this.run(words).catch((error: Error) => this.failed(asPiError(error, words)));
  }

  /** Ends pi and fails what is open. Resolves when the process is gone; pi is not started again afterwards. */
  stop(): Promise<void> {
    this.stopping ??= (async () => {
      this.outbox.close();
      const gone = new PiError("The bridge is shutting down.", {
        kind: "exited",
        exitCode: null,
        signal: null,
        stderr: "",
      });
      this.failAll(() => gone);
      const process = await this.spawned?.catch(() => undefined);
      await Promise.all([process?.stop(), ...this.dying]);
      if (this.state.is !== "failed") this.become({ is: "stopped" });
    })();
    return this.stopping;
  }

  /** What to go on with, once pi has told of a session. */
  private resume(): Resume | undefined {
    const session = this.status.session;
    if (!session?.file) return session && { id: session.id };
    // pi writes a session with its first answer. Named by a file that is not there, it would begin another one.
    const isHere = this.launch.command.length === 1 || this.version !== undefined;
    return { id: session.id, file: !isHere || existsSync(session.file) ? session.file : undefined };
  }

  private async run(words: string[]): Promise<void> {
    const env = { ...this.baseEnv, ...this.launch.env };
    const file = findExecutable(this.launch, env);
    this.version = packageVersion([file, ...words.slice(1, this.launch.command.length)]);
    const { promise: ready, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
    let isReady = false;
    this.spawned = PiProcess.start(
      [file, ...words.slice(1)],
      { cwd: this.launch.cwd, env },
      {
        line: (line) => this.receive(line),
        chunkEnd: () => this.events.flush(),
        stderr: (text) => this.events.log("info", text),
        drained: () => {
          this.outbox.drained();
          this.events.backlog(this.outbox.bytes);
        },
        ended: (exit) => {
          if (isReady) this.ended(exit, process);
          else reject(startFailure(words, exit, process.stderr.toString()));
        },
      },
    );
    const process = await this.spawned;
    this.process = process;
    if (this.stopping) return;
    const timer = setTimeout(() => {
      reject(startFailure(words, { timeoutMs: this.launch.startTimeoutMs }, process.stderr.toString()));
      const end = process.stop().finally(() => this.dying.delete(end));
      this.dying.add(end);
    }, this.launch.startTimeoutMs);
    // The only sign that pi is ready: it reads its stdin after everything else is set up.
    const probe = this.newCall({ ...this.ownFields("get_state"), drops: undefined });
    this.open.set(probe.id, probe);
    this.write(probe.line);
    probe.answer.then(resolve, reject);
    try {
      this.status.apply(JSON.parse((await ready)?.toString() ?? "{}"));
    } finally {
      clearTimeout(timer);
    }
    isReady = true;
    this.become({ is: "ready", words, process });
    this.outbox.open();
    this.events.backlog(this.outbox.bytes);
    if (!this.version && this.launch.command.length === 1) {
      this.version = await askVersion(file, env).catch(() => undefined);
      this.events.changed();
    }
  }

  private receive(line: Buffer): Promise<void> | undefined {
    if (line.length === 0) return undefined;
    this.events.traffic("from-pi", line);
    const record = readRecord(line);
    switch (record.is) {
      case "event":
        if (Status.concerns(record.type)) this.fold(record.type, line);
        this.events.record(record);
        return undefined;
      case "ui":
        this.events.record(record);
        return undefined;
      case "foreign":
        this.events.log("warning", `pi's stdout, not a record: ${line.toString("utf8", 0, 500)}`);
        return undefined;
      default:
        return this.answer(record);
    }
  }

  private fold(type: string, line: Buffer): void {
    const record = parseRecord(line);
    if (!record) return;
    const before = this.status.activity;
    const ask = this.status.fold(type, record);
    if (ask) this.refresh();
    if (ask || before !== this.status.activity || type === "queue_update") this.events.changed();
  }

  private answer(record: Extract<PiRecord, { is: "response" | "failure" }>): Promise<void> | undefined {
    const call = record.id === undefined ? undefined : this.open.get(record.id);
    if (!call) {
      this.events.log(
        "warning",
        `pi answered ${record.command || "a command"} that was not asked: ${describe(record)}`,
      );
      return undefined;
    }
    this.open.delete(call.id);
    // The records before the response go first; then the response gets its turn, before the records that follow it.
    const wait = this.events.flush();
    if (record.is === "response") {
      call.resolve(record.data);
      if (call.spec?.changesState) this.refresh();
    } else if (record.error === `Unknown command: ${call.command}`) call.reject(new UnknownCommand(call.command));
    else call.reject(new PiError(record.error, { kind: "rejected", command: call.command }));
    this.outbox.answered(call);
    return (wait ?? Promise.resolve()).then(() => new Promise((resolve) => setImmediate(resolve)));
  }

  /** Asks pi for its state, once more if something changes while it is being asked. */
  private refresh(): void {
    if (this.refreshing !== "no") {
      this.refreshing = "again";
      return;
    }
    this.refreshing = "asked";
    this.own("get_state").answer.then(
      (data) => {
        const again = this.refreshing === "again";
        this.refreshing = "no";
        this.status.apply(JSON.parse(data?.toString() ?? "{}"));
        this.events.changed();
        if (again) this.refresh();
      },
      () => {
        this.refreshing = "no";
      },
    );
  }

  /** A command of the bridge's own. It drops nothing: nobody pressed stop. */
  private own(command: string): Call {
    return this.send(this.newCall({ ...this.ownFields(command), drops: undefined }));
  }

  private ownFields(command: string) {
    const id = `b${this.nextId++}`;
    return { id, command, line: JSON.stringify({ id, type: command }), spec: commandSpec(command), typed: undefined };
  }

  private newCall(fields: ConstructorParameters<typeof Call>[0]): Call {
    return new Call(fields, {
      written: (call) => {
        this.open.set(call.id, call);
        const reason = call.spec?.closesDialogs;
        if (reason) this.events.closeDialogs(reason);
      },
      dropped: (call, by) => void call.reject(new Cancelled(`${call.command} was not sent: ${by} came first.`)),
    });
  }

  private send(call: Call): Call {
    if (this.stopping) {
      call.reject(
        new PiError("The bridge is shutting down.", { kind: "exited", exitCode: null, signal: null, stderr: "" }),
      );
      return call;
    }
    this.outbox.push(call);
    this.start();
    this.events.backlog(this.outbox.bytes);
    return call;
  }

  private write(line: string): boolean {
    this.events.traffic("to-pi", line);
    return this.process?.write(line) ?? true;
  }

  private ended(exit: Exit, process: PiProcess): void {
    if (this.process === process) this.process = undefined;
    this.outbox.close();
    const stderr = process.stderr.toString();
    const how = exit.signal ? `signal ${exit.signal}` : `exit code ${exit.exitCode}`;
    const queue = this.status.queue;
    const queued = queue.steering.length + queue.followUp.length > 0 ? { queue } : {};
    const message = `pi has ended (${how}).`;
    const error = new PiError(message, { kind: "exited", ...exit, stderr, ...queued });
    this.events.closeDialogs("exited");
    this.failAll(({ typed }) =>
      typed === undefined ? error : new PiError(message, { ...error.data, prompt: typed } as PiError["data"]),
    );
    this.status.stopped();
    if (this.stopping) return;
    this.events.log("warning", `${message}${stderr ? ` Its last words: ${stderr.slice(-500)}` : ""}`);
    this.become({ is: "stopped", error });
  }

  private failed(error: PiError): void {
    this.process = undefined;
    this.outbox.close();
    this.events.closeDialogs("exited");
    this.failAll(() => error);
    if (!this.stopping) this.become({ is: "failed", error });
  }

  private failAll(reason: (call: Call) => Error): void {
    const calls = [...this.open.values(), ...(this.outbox.takeAll() as Call[])];
    this.open.clear();
    for (const call of calls) call.reject(reason(call));
    this.events.backlog(0);
  }

  private become(state: State): void {
    this.state = state;
    this.events.changed();
  }
}

/** A spawn error of the operating system's that the look-up before did not foresee. */
function asPiError(error: Error & { code?: string }, words: string[]): PiError {
  if (error instanceof PiError) return error;
  return new PiError(`pi cannot be started: ${error.message}`, {
    kind: "unavailable",
    reason: error.code === "EACCES" || error.code === "ENOEXEC" ? "not_executable" : "not_found",
    hint: "Check the command with --pi or the option `command`: the system could not run it.",
    command: words,
  });
}

function describe(record: Extract<PiRecord, { is: "response" | "failure" }>): string {
  return record.is === "failure" ? record.error : "success";
}
