import { commandSpec } from "../protocol/commands.ts";
import { Call } from "./calls.ts";
import { Cancelled, PiError, UnknownCommand } from "./error.ts";
import { Outbox } from "./outbox.ts";
import type { PiRecord } from "./record.ts";

type Answer = Extract<PiRecord, { is: "response" | "failure" }>;

export interface ExchangeEvents {
  /** Passes a line to pi; false when its stdin is full. */
  write(line: string): boolean;
  /** A command that closes the open dialogs has just been written. */
  closeDialogs(reason: "abort" | "session_replaced"): void;
  /** A command has succeeded after which the session, the model or the like may be another one. */
  stateChanged(): void;
  /** pi has taken a text that a person typed, and said what becomes of it. */
  accepted(command: string, text: string, data: Buffer | undefined): void;
  /** How many bytes wait for pi, whenever that changes. */
  backlog(bytes: number): void;
  log(text: string): void;
}

/** Commands and their answers: ids, order, cancellation. Outlives the process, so that a call can wait for the next one. */
export class Exchange {
  private readonly events: ExchangeEvents;
  private readonly outbox: Outbox;
  /** Written and not yet answered, by the id that pi repeats. In the order of writing. */
  private readonly open = new Map<string, Call>();
  private nextId = 1;

  constructor(events: ExchangeEvents) {
    this.events = events;
    this.outbox = new Outbox(events.write);
  }

  get openCalls(): Iterable<Call> {
    return this.open.values();
  }

  /** Whether an editor's request waits for pi. */
  get isBusy(): boolean {
    return [...this.open.values()].some((call) => !call.isOwn);
  }

  /**
   * Queues an editor's command.
   * @throws PiError `too_large`; nothing is queued then.
   */
  call(command: string, params: object, limit: number): Call {
    const id = `r${this.nextId++}`;
    const line = encode({ ...params, id, type: command });
    const bytes = Buffer.byteLength(line);
    if (bytes > limit) {
      throw new PiError(
        `${command} is too large for pi: ${bytes} bytes, the limit is ${limit}. Shrink the images or split the text.`,
        { kind: "too_large", bytes, limit },
      );
    }
    const { message } = params as { message?: unknown };
    const spec = commandSpec(command);
    const typed = typeof message === "string" ? message : undefined;
    return this.push({ id, command, line, spec, typed, drops: spec?.drops, isOwn: false });
  }

  /** Queues a command of the bridge's own. It drops nothing: nobody pressed stop. */
  own(command: string): Call {
    const id = `b${this.nextId++}`;
    const line = JSON.stringify({ id, type: command });
    return this.push({
      id,
      command,
      line,
      spec: commandSpec(command),
      typed: undefined,
      drops: undefined,
      isOwn: true,
    });
  }

  /** Takes a call back: it is never sent, or pi is told, or its late answer is dropped, as the table says. */
  cancel(call: Call): void {
    if (this.withdraw(call)) return;
    const stop = call.spec?.cancel?.send;
    if (stop && this.open.get(call.id) === call) this.own(stop);
    else call.reject(new Cancelled());
  }

  /** Takes a call back that pi has not been sent. False when it has. */
  withdraw(call: Call): boolean {
    if (!this.outbox.remove(call)) return false;
    call.reject(new Cancelled());
    this.events.backlog(this.outbox.bytes);
    return true;
  }

  /** A line that goes ahead of everything: the answer to a dialog. */
  urgent(line: string): void {
    this.outbox.urgent(line);
  }

  /** pi takes commands. */
  start(): void {
    this.outbox.open();
    this.events.backlog(this.outbox.bytes);
  }

  /** pi takes none until `start`. */
  pause(): void {
    this.outbox.close();
  }

  drained(): void {
    this.outbox.drained();
    this.events.backlog(this.outbox.bytes);
  }

  /** Gives a call its answer. */
  answer(record: Answer): void {
    const call = this.callOf(record);
    if (!call) return;
    this.open.delete(call.id);
    if (record.is === "response") {
      call.resolve(record.data);
      if (call.spec?.changesState) this.events.stateChanged();
      if (call.typed !== undefined) this.events.accepted(call.command, call.typed, record.data);
    } else if (record.error === `Unknown command: ${call.command}`) call.reject(new UnknownCommand(call.command));
    else call.reject(new PiError(record.error, { kind: "rejected", command: call.command }));
    this.outbox.answered(call);
  }

  /** Ends a call that pi has lost. */
  giveUp(call: Call, error: PiError): void {
    if (!this.open.delete(call.id)) return;
    call.reject(error);
    this.outbox.answered(call);
  }

  /** Ends every call, written or waiting; in the order of the calls. */
  failAll(reason: (call: Call) => Error): void {
    const calls = [...this.open.values(), ...(this.outbox.takeAll() as Call[])];
    this.open.clear();
    for (const call of calls) call.reject(reason(call));
    this.events.backlog(0);
  }

  /** What a person typed and pi has not acknowledged, by the command that carried it. */
  typed(): { command: string; text: string }[] {
    return [...this.open.values(), ...(this.outbox.list() as Call[])].flatMap(({ command, typed }) =>
      typed === undefined ? [] : [{ command, text: typed }],
    );
  }

  private callOf(record: Answer): Call | undefined {
    const call = record.id === undefined ? undefined : this.open.get(record.id);
    if (call) return call;
    // An answer that has lost its id: it belongs to the oldest command of its name, if there is one.
    const oldest = [...this.open.values()].find((other) => record.id === undefined && other.command === record.command);
    const what = record.is === "failure" ? `"${record.error}"` : "success";
    this.events.log(
      `pi answered ${record.command || "a command"} (${what}) ${record.id === undefined ? "without an id" : "twice"}` +
        `${oldest ? ": taken for the answer to the oldest one." : "."}`,
    );
    return oldest;
  }

  private push(fields: ConstructorParameters<typeof Call>[0]): Call {
    const call = new Call(fields, {
      written: () => {
        this.open.set(call.id, call);
        const reason = call.spec?.closesDialogs;
        if (reason) this.events.closeDialogs(reason);
      },
      dropped: (_call, by) => void call.reject(new Cancelled(`${call.command} was not sent: ${by} came first.`)),
    });
    this.outbox.push(call);
    this.events.backlog(this.outbox.bytes);
    return call;
  }
}

function encode(command: { type: string; id: string }): string {
  try {
    return JSON.stringify(command);
  } catch {
    const message = `${command.type}: the parameters are nested too deeply`;
    throw new PiError(message, { kind: "invalid_params", issues: [{ path: [], message }] });
  }
}
