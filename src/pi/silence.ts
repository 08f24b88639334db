import type { Call } from "./calls.ts";
import { PiError } from "./error.ts";
import type { Exchange } from "./exchange.ts";
import type { Status } from "./status.ts";

/** The wire is silent when nothing has come for so long, though something is owed. */
const SILENT_MS = 3000;
const LOOK_MS = 500;

/**
 * The defence against records that got lost: an answer that never comes, a run whose end was not told. It never guesses
 * by the clock: when the wire is silent it asks pi, and only what pi's own answer contradicts is given up.
 */
export class SilenceWatch {
  private readonly exchange: Exchange;
  private readonly status: Status;
  private readonly events: { ask(): Call; settled(): void; log(text: string): void };
  private heardAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private asking = false;
  /** pi has said once, and not in passing, that there is no run. */
  private doubted = false;

  constructor(exchange: Exchange, status: Status, events: { ask(): Call; settled(): void; log(text: string): void }) {
    this.exchange = exchange;
    this.status = status;
    this.events = events;
  }

  start(): void {
    this.heard();
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  heard(): void {
    this.heardAt = Date.now();
  }

  private look(): void {
    if (this.asking || Date.now() - this.heardAt < SILENT_MS) return;
    if (!this.exchange.isBusy && this.status.activity === "idle") return;
    // pi answers these in the order in which it reads them: what was written before and is still open afterwards is lost.
    const owed = [...this.exchange.openCalls].filter((call) => call.spec?.immediate);
    this.asking = true;
    this.events
      .ask()
      .answer.then(
        (data) => this.compare(owed, JSON.parse(data?.toString("utf8") ?? "{}")),
        () => {},
      )
      .finally(() => {
        this.asking = false;
        this.heard();
      });
  }

  private compare(
    owed: Call[],
    state: { isStreaming?: boolean; isCompacting?: boolean; pendingMessageCount?: number },
  ): void {
    for (const call of owed) {
      this.events.log(`pi has lost the answer to ${call.command}: given up.`);
      this.exchange.giveUp(
        call,
        new PiError(`pi never answered ${call.command}, though it answers what was sent after it.`, {
          kind: "lost",
          command: call.command,
        }),
      );
    }
    const isRunning = this.status.activity === "running";
    const saysIdle = !state.isStreaming && !state.isCompacting && !state.pendingMessageCount;
    if (!isRunning || !saysIdle) {
      this.doubted = false;
      return;
    }
    if (!this.doubted) {
      this.doubted = true;
      return;
    }
    this.doubted = false;
    this.events.log("pi is idle, but never said that the run has settled: taken as settled.");
    this.events.settled();
  }
}
