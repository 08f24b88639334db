/** A value that takes long is got less often: getting it again takes at most a tenth of the time. */
const FACTOR = 10;

/** A value that is slow to get. The one that there is serves while the next one is on its way. */
export class Cached<T> {
  private readonly load: () => Promise<T>;
  private readonly freshMs: number;
  private value: { is: T } | undefined;
  private freshUntil = 0;
  private loading: Promise<void> | undefined;
  private hasExpired = false;

  /** @param freshMs how long a value is taken for the present one, in milliseconds; longer when it takes long to get */
  constructor(load: () => Promise<T>, freshMs: number) {
    this.load = load;
    this.freshMs = freshMs;
  }

  /** Whether it was ever asked for. */
  get isUsed(): boolean {
    return this.value !== undefined || this.loading !== undefined;
  }

  /**
   * The value. Waits for a newer one at most `next` milliseconds, and for the very first one `first`.
   *
   * @returns undefined when there is none yet, or none could be got
   */
  async read(patience: { first: number; next: number }): Promise<T | undefined> {
    if (this.hasExpired || performance.now() > this.freshUntil)
      await within(this.refresh(), this.value ? patience.next : patience.first);
    return this.value?.is;
  }

  /** The value is known to be outdated; so is one that is on its way. */
  expire(): void {
    this.hasExpired = true;
  }

  /** The value is of no use any more. */
  drop(): void {
    this.value = undefined;
    this.hasExpired = true;
  }

  /** Gets the value again. Never rejects: what could not be got leaves the last value in its place. */
  refresh(): Promise<void> {
    this.loading ??= this.reload().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  /** Resolves when nothing is on its way. */
  async idle(): Promise<void> {
    await this.loading;
  }

  private async reload(): Promise<void> {
    this.hasExpired = false;
    const start = performance.now();
    try {
      this.value = { is: await this.load() };
      this.freshUntil = performance.now() + Math.max(this.freshMs, FACTOR * (performance.now() - start));
    } catch {
      // Whoever loads it has told of it.
    }
  }
}

function within(promise: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
