/** How often pi may be started again after it has ended unasked. */
const RESTARTS = 5;
const WITHIN_MS = 3 * 60_000;
/** Before the first restart, the second, … A pi that dies once is back at once; one that keeps dying is given time. */
const DELAYS_MS = [0, 500, 1000, 2000, 4000];

/** The restarts that are left, so that a pi that cannot live does not spin. */
export class RestartBudget {
  private readonly restarts: number[] = [];

  /** Spends one restart: the milliseconds to wait before it. Undefined when there is none left. */
  spend(now = Date.now()): number | undefined {
    this.forget(now);
    if (this.restarts.length >= RESTARTS) return undefined;
    const delay = DELAYS_MS[this.restarts.length] ?? DELAYS_MS.at(-1);
    this.restarts.push(now);
    return delay;
  }

  isSpent(now = Date.now()): boolean {
    this.forget(now);
    return this.restarts.length >= RESTARTS;
  }

  get isUsed(): boolean {
    return this.restarts.length > 0;
  }

  reset(): void {
    this.restarts.length = 0;
  }

  private forget(now: number): void {
    while (this.restarts[0] !== undefined && now - this.restarts[0] > WITHIN_MS) this.restarts.shift();
  }
}

export const RESTART_LIMIT = `${RESTARTS} restarts within ${WITHIN_MS / 60_000} minutes`;
