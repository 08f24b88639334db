import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** The share of the machine that other processes may take while something is measured. */
const FOREIGN = 0.15;
const PAUSE_MS = 1000;
/** What a whole run of the benchmarks may wait for the machine to be quiet. After that, all is taken as it is. */
let patienceMs = 5 * 60_000;
let repeated = 0;

/**
 * `measure`, repeated when other processes have taken so much of the machine that the result tells of them. It must end
 * all processes that it starts: their time is known only then.
 */
export function undisturbed<T>(measure: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (;;) {
      const before = cpuTimes();
      const result = await measure();
      const after = cpuTimes();
      const wall = after.at - before.at;
      const foreign = after.all - before.all - (after.own - before.own);
      if (foreign <= wall * availableParallelism() * FOREIGN || patienceMs <= 0) return result;
      repeated += 1;
      patienceMs -= wall + PAUSE_MS;
      await sleep(PAUSE_MS);
    }
  };
}

/** How often that was, for the report; and whether it was enough. */
export function disturbances(): string {
  if (repeated === 0) return "";
  const rest = patienceMs <= 0 ? "; the rest was taken as it was" : "";
  return ` ${repeated} measurements were repeated because other processes had disturbed them${rest}.`;
}

/** In milliseconds: of all processes of the machine, and of this one with all that it has started and seen end. */
function cpuTimes(): { at: number; all: number; own: number } {
  const [, user, nice, system, , , irq, softirq] = readFileSync("/proc/stat", "latin1").split(/\s+/, 8).map(Number);
  const all = (user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0);
  const [, fields = ""] = readFileSync("/proc/self/stat", "latin1").split(") ");
  const own = fields
    .split(" ")
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
  // Both are counted in hundredths of a second.
  return { at: performance.now(), all: all * 10, own: own * 10 };
}
