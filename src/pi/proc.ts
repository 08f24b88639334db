import { readdirSync, readFileSync } from "node:fs";

/** What Linux tells of a process. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  session: number;
  /** Clock ticks since the machine was booted. */
  startedAt: number;
}

/** USER_HZ: the same on every Linux, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100;

/** The processes of this machine. Empty where there is no /proc: on macOS and Windows. */
export function listProcesses(): ProcessInfo[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names.flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/** The processes that `pid` has started and that are its children still. */
export function childrenOf(pid: number): ProcessInfo[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const pids = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" "));
    return pids.flatMap((child) => (child === "" ? [] : (readProcess(Number(child)) ?? [])));
  } catch {
    // A kernel without these files, or the process has just ended.
    return listProcesses().filter(({ parent }) => parent === pid);
  }
}

/** Now, as `startedAt` counts. */
export function ticksNow(): number {
  return Math.floor(Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * TICKS_PER_SECOND);
}

/** Undefined for a process that has ended, a zombie included. */
export function readProcess(pid: number): ProcessInfo | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The name in parentheses may contain anything; the fields after it are numbered from 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, , session] = fields;
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), session: Number(session), startedAt: Number(fields[19]) };
}

/** A variable of the environment that the process was started with; undefined also when that is not ours to read. */
export function environmentVariable(pid: number, name: string): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  } catch {
    return undefined;
  }
}
