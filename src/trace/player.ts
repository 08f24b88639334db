import { isDeepStrictEqual } from "node:util";
import { type Answer, isOwnQuestion, type PiRecord, QUESTIONS, type Step } from "./steps.ts";

export interface PlayerEvents {
  /** Writes to stdout. Resolves when more may be written. */
  write(bytes: string | Buffer): Promise<void>;
  /** Writes to stderr. Resolves when it has. */
  stderr(text: string): Promise<void>;
  /** The process is to end, with what was written before. Does not return. */
  exit(code: number): Promise<never>;
  kill(signal: NodeJS.Signals): Promise<never>;
  /** Something came that the scenario does not allow. Does not return. */
  fail(text: string): never;
}

export interface PlayerOptions {
  /** What no step waits for is a failure, and not refused. */
  strict?: boolean;
  /** What get_state and get_session_stats answer until a step says something else. */
  state?: object;
  stats?: object;
}

type Expectation = Extract<Step, { expect: PiRecord } | { exactly: PiRecord }>;

/**
 * Plays the steps of one start as pi.
 *
 * Steps that were recorded take the first command of their type, so that a client that asks in another order still gets
 * its answers; `expect` and `exactly` take the next command, whatever it is. The bridge's own questions are answered at
 * any time. What no step waits for is refused, by name.
 */
export class Player {
  private readonly steps: readonly Step[];
  private at = 0;
  private readonly events: PlayerEvents;
  private readonly strict: boolean;
  /** Commands that have arrived and that no step has taken yet. */
  private readonly inbox: PiRecord[] = [];
  /** The commands that were taken, by the name that the scenario has for them: in a trace, the recorded id. */
  private readonly named = new Map<string, PiRecord>();
  private readonly answers: { state: unknown; stats: unknown };
  private wake: (() => void) | undefined;
  /** The step that waits for a command. */
  waiting: Step | undefined;
  /** The end of stdin does not end it. */
  isStubborn = false;

  constructor(steps: readonly Step[], events: PlayerEvents, options: PlayerOptions = {}) {
    this.steps = steps;
    this.events = events;
    this.strict = options.strict ?? false;
    // pi is not ready before it has told its state: the first that the trace has.
    const first = steps.find((step) => "state" in step);
    this.answers = { state: options.state ?? first?.state ?? {}, stats: options.stats ?? {} };
  }

  async play(): Promise<void> {
    for (let step = this.steps[this.at]; step; step = this.steps[this.at]) {
      await this.playStep(step);
      this.at += 1;
    }
    for (const command of this.inbox.splice(0)) this.unexpected(command);
  }

  /** A command from the bridge. */
  receive(line: string): void {
    let command: PiRecord;
    try {
      command = JSON.parse(line) as PiRecord;
    } catch {
      return this.events.fail(`not JSON: ${line.slice(0, 500)}`);
    }
    const question = Object.hasOwn(QUESTIONS, command.type) ? QUESTIONS[command.type] : undefined;
    if (question && (isOwnQuestion(command) || !this.isAwaited(command))) {
      const data = this.answers[question];
      if (data !== null) void this.answer(command, { reply: data });
    } else if (this.strict ? this.at < this.steps.length : this.isAwaited(command)) {
      this.inbox.push(command);
      this.wake?.();
    } else this.unexpected(command);
  }

  private async playStep(step: Step): Promise<void> {
    const { events } = this;
    if ("toPi" in step) await this.takeRecorded(step);
    else if ("fromPi" in step) await this.sendRecorded(step);
    else if ("state" in step) this.answers.state = step.state;
    else if ("stats" in step) this.answers.stats = step.stats;
    else if ("expect" in step || "exactly" in step) await this.take(step);
    else if ("to" in step) {
      const command = this.named.get(step.to);
      if (command) await this.answer(command, step);
      else events.fail(`no command was named ${step.to}`);
    } else if ("send" in step) {
      const text = JSON.stringify(step.send);
      for (let count = 0; count < (step.times ?? 1); count++) await events.write(`${this.fill(text, count)}\n`);
    } else if ("raw" in step) await events.write(this.fill(step.raw, 0));
    else if ("base64" in step) await events.write(Buffer.from(step.base64, "base64"));
    else if ("stderr" in step) await events.stderr(step.stderr);
    else if ("stubborn" in step) this.isStubborn = true;
    else if ("wait" in step) for (;;) await this.arrival(step);
    else if ("exit" in step) await events.exit(step.exit);
    else if ("kill" in step) await events.kill(step.kill);
  }

  private async take(step: Expectation): Promise<void> {
    while (this.inbox.length === 0) await this.arrival(step);
    const command = this.inbox.shift() as PiRecord;
    const { id: _, ...anonymous } = command;
    const wanted = "exactly" in step ? step.exactly : step.expect;
    const got = "exactly" in step && !("id" in wanted) ? anonymous : command;
    if (!("exactly" in step ? isDeepStrictEqual(got, wanted) : fits(wanted, got)))
      this.events.fail(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(command).slice(0, 500)}`);
    if (step.as !== undefined) this.named.set(step.as, command);
    await this.answer(command, step);
  }

  private async takeRecorded(step: Extract<Step, { toPi: unknown }>): Promise<void> {
    const { toPi } = step;
    if (typeof toPi !== "object") return;
    for (;;) {
      const at = this.inbox.findIndex((command) => isSame(toPi, command));
      const [command] = at === -1 ? [] : this.inbox.splice(at, 1);
      if (command && typeof toPi.id === "string") this.named.set(toPi.id, command);
      if (command) return;
      await this.arrival(step);
    }
  }

  private async sendRecorded({ fromPi, line }: Extract<Step, { fromPi: unknown }>): Promise<void> {
    if (typeof fromPi !== "object") return this.events.write(`${fromPi}\n`);
    const { type, id } = fromPi;
    const command = typeof id === "string" ? this.named.get(id) : undefined;
    // Its command was sent before the trace begins.
    if (type === "response" && id !== undefined && !command) return;
    const text = line ?? JSON.stringify(fromPi);
    if (!command) return this.events.write(`${text}\n`);
    // pi writes the id first, or right behind the type; anything else is decoded and written anew.
    const head = /^(?:\{|\{"type":"[a-z_]+",)"id":/.exec(text)?.[0];
    const [old, now] = [JSON.stringify(id), JSON.stringify(command.id)];
    const isPlain = head !== undefined && text.startsWith(old, head.length);
    const renamed = isPlain
      ? `${head}${now}${text.slice(head.length + old.length)}`
      : JSON.stringify({ ...fromPi, id: command.id });
    await this.events.write(`${renamed}\n`);
  }

  private async arrival(step: Step): Promise<void> {
    if (!("wait" in step)) this.waiting = step;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
    this.waiting = undefined;
  }

  /** Whether a step is still to come that takes this command. */
  private isAwaited(command: PiRecord): boolean {
    return this.steps.slice(this.at).some((step) => {
      if ("expect" in step) return step.expect.type === command.type;
      if ("exactly" in step) return step.exactly.type === command.type;
      return "toPi" in step && typeof step.toPi === "object" && isSame(step.toPi, command);
    });
  }

  private unexpected(command: PiRecord): void {
    if (this.strict) this.events.fail(`nothing more is expected, got ${JSON.stringify(command).slice(0, 500)}`);
    else if (command.type !== "extension_ui_response")
      void this.answer(command, { reject: `The trace has no ${command.type} from here on.` });
  }

  private async answer(command: PiRecord, { reply, reject, bulk }: Answer): Promise<void> {
    const head = { id: command.id, type: "response", command: command.type };
    const send = (record: object) => this.events.write(`${JSON.stringify(record)}\n`);
    if (reject !== undefined) await send({ ...head, success: false, error: reject });
    else if (bulk !== undefined) await send({ ...head, success: true, data: { filler: "x".repeat(bulk) } });
    else if (reply === null) await send({ ...head, success: true });
    else if (reply !== undefined) await send({ ...head, success: true, data: reply });
  }

  /** Writes the ids and the count into a text. */
  private fill(text: string, count: number): string {
    return text.replaceAll(/\$(\w+)/g, (whole, name: string) =>
      name === "n" ? String(count) : String(this.named.get(name)?.id ?? whole),
    );
  }
}

/** A command is known by its type; an answer to a dialog by the dialog, whose id is pi's own. */
function isSame(recorded: Record<string, unknown>, command: PiRecord): boolean {
  return recorded.type === command.type && (command.type !== "extension_ui_response" || recorded.id === command.id);
}

/** Whether VALUE has all that PATTERN has. */
function fits(pattern: unknown, value: unknown): boolean {
  if (typeof pattern !== "object" || pattern === null || Array.isArray(pattern))
    return isDeepStrictEqual(pattern, value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(pattern).every(([key, part]) => fits(part, (value as Record<string, unknown>)[key]));
}
