import { readFileSync, writeFileSync } from "node:fs";

export const MB = 1024 * 1024;

/** What the kernel says of a process's resident memory, in bytes. Linux only, as the benchmarks that ask for it. */
export function memory(pid: number | undefined): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** The peak begins again with what the process has now. */
export function forgetPeak(pid: number | undefined): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
