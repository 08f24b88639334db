import { readdirSync, readFileSync } from "node:fs";

/** Whether the process runs. A zombie, which only waits for its parent to look, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}

/** The processes that carry MARK in their environment. Empty where there is no /proc. */
export function marked(mark: string): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const name of process.platform === "linux" ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(mark)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      found.push({ pid: Number(name), command });
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}
