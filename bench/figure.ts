/** One line of the result. Every figure with a limit is a ratio, or a difference, within one run: machines differ. */
export interface Figure {
  benchmark: string;
  work: string;
  value: number;
  unit: "×" | "ms" | "MB" | "";
  /** The value must not exceed it. */
  limit?: number;
  /** What the value was computed from. */
  from: string;
}

export function verdict({ value, limit }: Figure): "ok" | "FAIL" | "" {
  if (limit === undefined) return "";
  return value <= limit ? "ok" : "FAIL";
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Measures both sides in turn, so that whatever else the machine does meets them alike; each goes first half the time. */
export async function pairs<T>(
  count: number,
  one: () => Promise<T>,
  other: () => Promise<T>,
): Promise<{ one: T; other: T }[]> {
  const measured: { one: T; other: T }[] = [];
  for (let at = 0; at < count; at++) {
    if (at % 2 === 0) measured.push({ one: await one(), other: await other() });
    else {
      const last = await other();
      measured.push({ one: await one(), other: last });
    }
  }
  return measured;
}

/** The median of the pairs' ratios, and the medians that it comes from. */
export function ratio(measured: readonly { one: number; other: number }[]) {
  return {
    value: median(measured.map(({ one, other }) => one / other)),
    one: median(measured.map(({ one }) => one)),
    other: median(measured.map(({ other }) => other)),
  };
}
