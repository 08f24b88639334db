import { existsSync } from "node:fs";
import { RESTART_LIMIT, RestartBudget } from "./budget.ts";
import type { Call } from "./calls.ts";
import { elsewhere } from "./elsewhere.ts";
import { PiError } from "./error.ts";
import { Exchange } from "./exchange.ts";
import { exitError, RESTARTING, SHUTTING_DOWN } from "./exit-error.ts";
import { Incoming } from "./incoming.ts";
import { type Launch, launchWords, type Resume } from "./launch.ts";
import { MARKER, Orphans } from "./orphans.ts";
import { noModel, startWarnings } from "./preflight.ts";
import type { Exit, PiProcess } from "./process.ts";
import { parseRecord } from "./record.ts";
import { Refresher } from "./refresher.ts";
import { SilenceWatch } from "./silence.ts";
import { type StartEvents, startPi } from "./starter.ts";
import { Status } from "./status.ts";
import type { State, SupervisorEvents } from "./supervisor-events.ts";

/** Runs pi: starts it when it is needed, again when it dies, and ends it with all that it has started. */
export class Supervisor {
  readonly status = new Status();
  state: State = { is: "stopped" };
  /** How often pi was started again. */
  restarts = 0;
  private launch: Launch;
  private readonly baseEnv: NodeJS.ProcessEnv;
  private readonly events: SupervisorEvents;
  private readonly exchange: Exchange;
  private readonly silence: SilenceWatch;
  private readonly refresher: Refresher;
  private readonly incoming: Incoming;
  private readonly budget = new RestartBudget();
  private process: PiProcess | undefined;
  private orphans: Orphans | undefined;
  /** Ends the question for the version, which may still be asked when pi is ended. */
  private question: AbortController | undefined;
  /** The start that is under way. Never rejects. */
  private starting: Promise<void> | undefined;
  /** pi is being ended on purpose: its end is no crash. */
  private leaving = false;
  private stopped: Promise<void> | undefined;
  /** The restarts that were asked for. Never rejects. */
  private restarted: Promise<void> = Promise.resolve();

  constructor(launch: Launch, baseEnv: NodeJS.ProcessEnv, events: SupervisorEvents) {
    this.launch = launch;
    this.baseEnv = baseEnv;
    this.events = events;
    this.exchange = new Exchange({
      write: (line) => this.write(line),
      closeDialogs: events.closeDialogs,
      stateChanged: () => this.refresh(),
      accepted: (command, text, data) => this.status.accept(command, text, data && parseRecord(data)),
      backlog: events.backlog,
      log: (text) => events.log("warning", text),
    });
    this.refresher = new Refresher(this.exchange, this.status, events.changed);
    this.incoming = new Incoming(this.status, {
      heard: () => this.silence.heard(),
      traffic: (line) => events.traffic("fromPi", line),
      record: events.record,
      flush: events.flush,
      answer: (record) => {
        this.exchange.answer(record);
        this.watchOrphans();
      },
      folded: () => {
        this.watchOrphans();
        events.changed();
      },
      ask: () => this.refresh(),
      log: (text) => events.log("warning", text),
    });
    this.silence = new SilenceWatch(this.exchange, this.status, {
      ask: () => this.exchange.own("get_state"),
      settled: () => {
        this.status.settle();
        events.runEnded(undefined);
        events.changed();
      },
      log: (text) => events.log("warning", text),
    });
  }

  /** How pi is started from now on. */
  configure(launch: Launch): void {
    this.launch = launch;
  }

  get settings(): Readonly<Launch> {
    return this.launch;
  }

  get version(): string | undefined {
    return this.state.is === "ready" ? this.state.version : undefined;
  }

  /** The words and the process of the pi that there is. */
  get running(): { words: string[]; pid: number | undefined } | undefined {
    if (this.state.is !== "starting" && this.state.is !== "ready") return undefined;
    return { words: this.state.words, pid: this.process?.pid };
  }

  /**
   * Queues a command, and starts pi if need be. It is on its way, or waiting for its turn, when this returns.
   * @throws PiError `too_large`; nothing has been sent then.
   */
  call(command: string, params: object): Call {
    const call = this.exchange.call(command, params, this.launch.maxCommandBytes);
    if (this.stopped) this.exchange.failAll(() => SHUTTING_DOWN);
    else this.start();
    this.watchOrphans();
    return call;
  }

  /** Takes a call back: it is never sent, or pi is told, or its late answer is dropped, as the table says. */
  cancel(call: Call): void {
    this.exchange.cancel(call);
  }

  /** Takes a call back if pi has not been sent it. False when it has. */
  withdraw(call: Call): boolean {
    return this.exchange.withdraw(call);
  }

  /** Stops the run. What waits is not dropped, as it is by the person's own `abort`. */
  abort(): void {
    this.exchange.own("abort");
  }

  /** A question of the bridge's own to a running pi: the answer's data. */
  ask(command: string): Promise<object> {
    return this.refresher.ask(command);
  }

  async isRunning(): Promise<boolean> {
    const { isStreaming } = (await this.ask("get_state")) as { isStreaming?: unknown };
    return isStreaming === true;
  }

  /** Answers one of pi's dialogs. Nobody hears it when pi has ended. */
  answerDialog(answer: object): void {
    if (this.process) this.exchange.urgent(JSON.stringify({ type: "extension_ui_response", ...answer }));
  }

  /** Starts pi if it is not there; what is called meanwhile waits. A failure is in `state` and in the answers. */
  start(): void {
    if (this.stopped || this.leaving) return;
    if (this.state.is === "failed" && this.budget.isSpent()) {
      this.failOpen(this.state.error);
      return this.events.changed();
    }
    if (this.state.is === "stopped" || this.state.is === "failed") this.begin();
  }

  /** Ends pi, if it runs, and starts it again on the same session. Resolves when it is ready; rejects when it is not. */
  restart(): Promise<void> {
    // One after the other: two at once would start two of them.
    const next = this.restarted.then(() => this.restartNow());
    this.restarted = next.catch(() => {});
    return next;
  }

  private async restartNow(): Promise<void> {
    if (this.stopped) throw SHUTTING_DOWN;
    this.budget.reset();
    if (this.state.is === "restarting") clearTimeout(this.state.timer);
    await this.end(RESTARTING);
    this.leaving = false;
    if (this.stopped) throw SHUTTING_DOWN;
    this.begin();
    await this.starting;
    if (this.state.is === "failed") throw this.state.error;
  }

  /**
   * Starts pi as LAUNCH says and on SESSION; one that runs is ended. When there is no starting it so, pi goes on as it did
   * before, and the failure is thrown.
   */
  async move(launch: Launch, session: Resume): Promise<void> {
    const before = { launch: this.launch, session: this.status.session, ran: this.state.is !== "stopped" };
    this.launch = launch;
    this.status.session = { id: session.id, ...(session.file !== undefined && { file: session.file }) };
    try {
      await this.restart();
    } catch (error) {
      this.launch = before.launch;
      this.status.session = before.session;
      if (before.ran && !this.stopped) await this.restart().catch(() => {});
      throw error;
    }
  }

  /** Ends pi and fails what is open. Resolves when nothing of it is left; it is not started again. */
  stop(): Promise<void> {
    this.stopped ??= (async () => {
      if (this.state.is === "restarting") clearTimeout(this.state.timer);
      await this.end(SHUTTING_DOWN);
      if (this.state.is !== "failed") this.become({ is: "stopped" });
    })();
    return this.stopped;
  }

  private begin(): void {
    const resume = this.resume();
    if (resume) this.restarts += 1;
    const words = launchWords(this.launch, resume);
    this.become({ is: "starting", words });
    this.starting = this.run(words, resume).catch((error) => {
      if (!this.leaving) this.startFailed(error as PiError);
    });
  }

  private async run(words: string[], resume: Resume | undefined): Promise<void> {
    const marker = `${process.pid}.${this.restarts}.${Math.random().toString(36).slice(2)}`;
    const env = { ...this.baseEnv, ...this.launch.env, [MARKER]: marker };
    let gone = false;
    let mine: PiProcess | undefined;
    const events: StartEvents = {
      spawned: (pi) => {
        mine = pi;
        this.process = pi;
        if (pi.pid !== undefined) this.orphans = new Orphans(pi.pid, marker);
        this.events.process({ start: words });
        if (this.leaving) void pi.stop();
        this.events.changed();
      },
      // What an ended pi still has in its pipe is of no use to anybody.
      line: (line) => (this.process === mine ? this.incoming.line(line) : undefined),
      chunkEnd: () => this.events.chunkEnd(),
      traffic: (direction, line) => this.events.traffic(direction, line),
      exited: ({ exitCode, signal }) => {
        if (!this.leaving) this.events.process(signal === null ? { exit: exitCode ?? 1 } : { kill: signal });
      },
      stderr: (text) => this.events.process({ stderr: text }),
      drained: () => this.exchange.drained(),
      ended: (exit) => {
        gone = true;
        if (mine) this.ended(exit, mine);
      },
    };
    this.question = new AbortController();
    const started = await startPi(this.launch, resume, env, events, this.question.signal);
    if (gone || this.leaving) return;
    this.status.apply(started.state);
    this.become({ is: "ready", words, pid: started.process.pid, version: undefined });
    this.silence.start();
    this.exchange.start();
    this.refresh();
    this.status.warnings = startWarnings(this.launch, env);
    if (!this.status.model) this.status.warnings.push(noModel(words));
    this.events.changed();
    // Not waited for: a restart need not know the version, and an end must not be held up by it.
    void started.version.then((version) => {
      if (this.state.is === "ready" && this.process === started.process) this.become({ ...this.state, version });
    });
  }

  /** What to go on with, once pi has told of a session. */
  private resume(): Resume | undefined {
    const session = this.status.session;
    if (!session?.file) return session && { id: session.id };
    // pi writes a session with its first answer. Named by a file that is not there, it would begin another one.
    const isHere = elsewhere(this.launch) === undefined;
    return { id: session.id, file: !isHere || existsSync(session.file) ? session.file : undefined };
  }

  private watchOrphans(): void {
    this.orphans?.watch(this.status.activity !== "idle" || this.exchange.isBusy);
  }

  private refresh(): void {
    this.watchOrphans();
    this.refresher.refresh();
  }

  private write(line: string): boolean {
    if (!this.process) return true;
    this.events.traffic("toPi", line);
    return this.process.write(line);
  }

  private ended(exit: Exit, pi: PiProcess): void {
    if (this.leaving || this.process !== pi) return;
    const wasIdle = this.status.activity === "idle" && !this.exchange.isBusy;
    const { session } = this.status;
    const error = exitError(exit, pi.stderr.toString(), session !== undefined && session.file === undefined);
    this.tearDown(error);
    // An extension may end pi: that is no crash, and the next request starts it again.
    if (exit.exitCode === 0 && wasIdle) return this.become({ is: "stopped" });
    this.events.log("warning", error.message);
    this.again(error);
  }

  private startFailed(error: PiError): void {
    const isRestart = this.restarts > 0 && this.budget.isUsed;
    this.tearDown(error);
    if (isRestart) this.again(error);
    else this.become({ is: "failed", error });
  }

  /** The next try, while there are tries left. Only what is asked from now on waits for it. */
  private again(error: PiError): void {
    const delay = this.budget.spend();
    if (delay === undefined) {
      const message = `${error.message} It is not started again: ${RESTART_LIMIT} were not enough.`;
      const final = new PiError(message, error.data);
      this.failOpen(final);
      return this.become({ is: "failed", error: final });
    }
    this.become({ is: "restarting", error, timer: setTimeout(() => this.begin(), delay) });
  }

  /** Ends the process on purpose. */
  private async end(error: PiError): Promise<void> {
    this.leaving = true;
    this.question?.abort();
    const pi = this.process;
    this.orphans?.end();
    this.events.closeDialogs("exited");
    this.tearDown(error);
    await pi?.stop();
    // A process that came into being meanwhile was told to end at once.
    await this.starting;
    if (this.process && this.process !== pi) await this.process.stop();
    this.process = undefined;
    this.sweep();
  }

  /** Everything that was the ended process's: its calls, its dialogs, its run, its shells. */
  private tearDown(error: PiError): void {
    this.silence.stop();
    this.incoming.ended();
    this.exchange.pause();
    this.failOpen(error);
    this.events.runEnded(error);
    if (this.leaving) return;
    this.events.closeDialogs("exited");
    this.process = undefined;
    this.sweep();
  }

  /** Fails everything that is open, and gives back what a person has typed in it. */
  private failOpen(error: PiError): void {
    const { queue } = this.status;
    this.status.lose(this.exchange.typed());
    const queued = queue.steering.length + queue.followUp.length > 0 ? { queue } : {};
    this.exchange.failAll(({ typed }) => {
      if (error.data.kind !== "exited") return error;
      return new PiError(error.message, { ...error.data, ...queued, ...(typed !== undefined && { prompt: typed }) });
    });
  }

  private sweep(): void {
    const ended = this.orphans?.sweep() ?? 0;
    this.orphans = undefined;
    if (ended > 0) this.events.log("warning", `Ended ${ended} process(es) that pi had left behind.`);
  }

  private become(state: State): void {
    this.state = state;
    this.events.changed();
  }
}
