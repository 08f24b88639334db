/** What the faults have led to. All but the first should be nothing. */
export class Ledger {
  readonly injected = new Map<string, number>();
  readonly failures: string[] = [];
  private readonly counts = { orphans: 0, "lost prompts": 0, "unanswered requests": 0, "open dialogs": 0 };
  /** Milliseconds from pi's death to the next answered request. */
  private readonly restarts: number[] = [];
  private longestClearance = 0;

  /** Nothing of the ended process, or of the bridge, was left after so long. */
  cleared(ms: number): void {
    this.longestClearance = Math.max(this.longestClearance, ms);
  }

  add(fault: string): void {
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
  }

  restarted(ms: number): void {
    this.restarts.push(ms);
  }

  found(what: keyof Ledger["counts"], found: readonly unknown[], where: string): void {
    this.counts[what] += found.length;
    for (const one of found)
      this.failures.push(`${where}: ${what}: ${typeof one === "string" ? one : JSON.stringify(one)}`);
  }

  failed(where: string, error: unknown): void {
    this.failures.push(`${where}: ${shortened(String((error as Error).stack ?? error))}`);
  }

  get total(): number {
    return [...this.injected.values()].reduce((sum, count) => sum + count, 0);
  }

  summary(pi: string): string {
    const counts = Object.entries(this.counts).map(([what, count]) => `${count} ${what}`);
    const times = this.restarts.toSorted((a, b) => a - b);
    const middle = times[Math.floor(times.length / 2)];
    return [
      `${pi}: ${this.total} faults injected, ${counts.join(", ")}`,
      `until nothing was left: ${seconds(this.longestClearance)} at most`,
      ...(middle === undefined
        ? []
        : [`from pi's death to the next answer: ${seconds(middle)} (median of ${times.length})`]),
    ].join("; ");
  }
}

/** The beginning and the end: a message quotes what came last. */
function shortened(text: string): string {
  return text.length > 3000 ? `${text.slice(0, 300)} … ${text.slice(-2500)}` : text;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
