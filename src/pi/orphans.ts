import { Guard } from "./guard.ts";
import { childrenOf, environmentVariable, listProcesses, type ProcessInfo, readProcess, ticksNow } from "./proc.ts";

/** Put into pi's environment, and so into that of every process it starts. A nested bridge puts its own there. */
export const MARKER = "PI_LANGUAGE_SERVER_RUN";

const SAMPLE_MS = 50;
const ROUNDS = 20;

/**
 * Finds and ends what pi leaves behind: the shells of the `bash` and tool calls that were running, and what runs in them.
 * A killed pi leaves them all; one that ends in order leaves what has made itself a process group of its own, as `timeout`
 * does.
 *
 * pi starts each shell in a session of its own, and after pi's death nothing tells a shell from a daemon that has put
 * itself into a session of its own on purpose. So the shells are noted while pi lives and works. While it works, what is
 * younger than the last look counts as a shell, unless something else that pi has left is its parent.
 */
export class Orphans {
  private readonly root: number;
  private readonly marker: string;
  /** The sessions of the shells that ran at the last look. */
  private shells = new Set<number>();
  private lookedAt = 0;
  private isWorking = false;
  private isEnding = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly guard: Guard | undefined;

  constructor(root: number, marker: string) {
    this.root = root;
    this.marker = marker;
    if (process.platform !== "linux") return;
    this.guard = new Guard(root, `${MARKER}=${marker}`);
    this.look();
  }

  /** Looks now, and again while pi works. */
  watch(isWorking: boolean): void {
    if (process.platform !== "linux" || this.isEnding || isWorking === this.isWorking) return;
    this.isWorking = isWorking;
    this.look();
    clearInterval(this.timer);
    this.timer = isWorking ? setInterval(() => this.look(), SAMPLE_MS) : undefined;
    this.timer?.unref();
  }

  /** pi is about to be ended. The shells that run now are the ones that count: it ends them, and not all that is in them. */
  end(): void {
    if (process.platform !== "linux" || this.isEnding) return;
    this.look();
    this.isEnding = true;
    clearInterval(this.timer);
  }

  /** Ends what pi has left. pi must be gone. Returns how many processes it was. */
  sweep(): number {
    clearInterval(this.timer);
    this.isEnding = true;
    this.guard?.dismiss();
    const shells = this.shellSessions();
    const ended = new Set<number>();
    // Once more for what was started between the look and the kill.
    for (let round = 0; round < ROUNDS; round++) {
      const left = this.left(shells).filter(({ pid }) => kill(pid));
      if (left.length === 0) break;
      for (const { pid } of left) ended.add(pid);
    }
    return ended.size;
  }

  private look(): void {
    const own = readProcess(this.root);
    if (!own) return;
    const now = ticksNow();
    const shells = new Set<number>();
    const visit = (pid: number) => {
      for (const child of childrenOf(pid)) {
        if (child.session === own.session) visit(child.pid);
        else shells.add(child.session);
      }
    };
    visit(this.root);
    if (shells.size !== this.shells.size || [...shells].some((shell) => !this.shells.has(shell)))
      this.guard?.tell(shells);
    this.shells = shells;
    this.lookedAt = now;
  }

  /** Decided before anything is ended: afterwards every child of a shell looks like an orphan of pi's. */
  private shellSessions(): ReadonlySet<number> {
    if (!this.isWorking) return this.shells;
    const processes = listProcesses();
    const marked = new Set(processes.filter(({ pid }) => markerOf(pid) === this.marker).map(({ pid }) => pid));
    const younger = processes.filter(
      ({ pid, session, parent, startedAt }) =>
        pid === session && startedAt >= this.lookedAt && marked.has(pid) && !marked.has(parent),
    );
    return new Set([...this.shells, ...younger.map(({ session }) => session)]);
  }

  private left(shells: ReadonlySet<number>): ProcessInfo[] {
    const own = readProcess(process.pid)?.session;
    return listProcesses().filter(({ pid, session }) => {
      if (pid === process.pid) return false;
      const marker = markerOf(pid);
      if (shells.has(session)) return marker === undefined || marker === this.marker;
      // pi's helpers in its own session, which is the bridge's.
      return session === own && marker === this.marker;
    });
  }
}

function markerOf(pid: number): string | undefined {
  return environmentVariable(pid, MARKER);
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
