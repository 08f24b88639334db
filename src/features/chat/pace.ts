import type { ClientManner } from "./clients.ts";

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** @returns what calls it off */
  after(ms: number, run: () => void): () => void;
}

/** How long a refused edit waits for the change that made it stale. */
const HOLD_MS = 2000;
/** Edits in a row that are refused without any change in between, before the person is told. */
const REFUSALS = 5;

/** When the next edit may leave. */
export class Pace {
  private readonly manner: ClientManner;
  private readonly clock: Clock;
  private holdUntil = 0;
  private quietUntil = 0;
  private lastSent = Number.NEGATIVE_INFINITY;
  private refusals = 0;

  constructor(manner: ClientManner, clock: Clock) {
    this.manner = manner;
    this.clock = clock;
  }

  /** Milliseconds; 0 or less: now. */
  get wait(): number {
    return Math.max(this.holdUntil, this.quietUntil, this.lastSent + this.manner.gapMs) - this.clock.now();
  }

  sent(): void {
    this.lastSent = this.clock.now();
  }

  /** The document has changed, by one of our edits or by the person. */
  changed(isOurs: boolean): void {
    this.holdUntil = 0;
    this.refusals = 0;
    if (!isOurs) this.quietUntil = this.clock.now() + this.manner.quietMs;
  }

  accepted(): void {
    this.refusals = 0;
  }

  /**
   * An edit was refused. The change that made it stale is waited for, unless it has come (`isStale`): a fast editor tells of
   * it before it answers.
   * @returns whether the person is to be told
   */
  refused(isStale: boolean): boolean {
    if (!isStale) this.holdUntil = this.clock.now() + HOLD_MS;
    this.refusals += 1;
    return this.refusals === REFUSALS;
  }
}
