import { parseRecord } from "../pi/record.ts";
import { type Mergeable, type Merged, mergeable, mergeDeltas } from "./mergeable.ts";
import { endsInHalf } from "./well-formed.ts";

/** Of cumulative records that another one follows, those from this size on are sent only while all of them together stay below twice the latest. */
const LARGE_BYTES = 64 * 1024;
/** A large record is sent after all when nothing has followed it for so long. */
const QUIET_MS = 1000;

/** One record that waits, or several in one. `latest` is replaced by a later one of its key, `append` is added to. */
interface Waiting {
  type: string;
  line: Buffer;
  how: Mergeable | undefined;
  at: number;
  merged?: Merged;
}

/**
 * Makes fewer records of many, for an editor that pays for each. What comes out is a valid stream of pi's: deltas of
 * one kind in a row become one delta, of cumulative records only the latest is sent, and nothing changes places.
 * The first record of a burst is not delayed; any other record, and a pause, lets go of what waits.
 */
export class Coalescer {
  private readonly send: (type: string, line: Buffer) => void;
  private readonly sent: () => void;
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sentAt = Number.NEGATIVE_INFINITY;
  private isHeld = false;
  /** What was sent of each cumulative record that is followed by another, in bytes. */
  private readonly spent = new Map<string, number>();
  /** Bytes that wait. */
  bytes = 0;

  /** `sent` is called when records were sent at a time of the coalescer's own choosing, so that they can be flushed. */
  constructor(send: (type: string, line: Buffer) => void, sent: () => void) {
    this.send = send;
    this.sent = sent;
  }

  /** Takes a record that may wait up to `ms`. */
  add(type: string, line: Buffer, ms: number): void {
    const how = mergeable(type, line);
    if (!how) return this.other(type, line);
    if (how.is === "latest") this.forget(how.key);
    const last = this.waiting.at(-1);
    if (how.is === "append" && last?.how?.is === "append" && last.how.key === how.key) {
      last.merged ??= { deltas: [last.how.delta], last: last.line };
      last.merged.deltas.push(how.delta);
      last.merged.last = line;
      this.bytes += how.delta.length;
    } else {
      this.waiting.push({ type, line, how, at: performance.now() });
      this.bytes += line.length;
    }
    const wait = this.sentAt + ms - performance.now();
    // Half a character is of no use to anybody: the next delta has the other half.
    const isHalf = how.is === "append" && endsInHalf(how.delta);
    if (wait <= 0 && !this.isHeld && !isHalf) this.release();
    else this.wake(Math.max(1, wait));
  }

  /** Lets everything go, now. Superfluous intermediate states of something large are left out: a later one follows. */
  flush(): void {
    this.sendAll("drop");
  }

  /** The editor does not read: records are merged further instead of being sent, until it does. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld && this.waiting.length > 0) {
      this.release();
      this.sent();
    }
  }

  private other(type: string, line: Buffer): void {
    if (type === "tool_execution_end") {
      // It tells all that its updates told.
      const id = parseRecord(line)?.toolCallId;
      this.forget(`tool:${id}`);
      this.spent.delete(`tool:${id}`);
    }
    if (this.isHeld) {
      this.waiting.push({ type, line, how: undefined, at: performance.now() });
      this.bytes += line.length;
      return;
    }
    this.flush();
    this.send(type, line);
  }

  private wake(ms: number): void {
    if (this.timer || this.isHeld) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isHeld) return;
      this.release();
      this.sent();
    }, ms);
  }

  /** Sends what is due; something large that would cost too much stays, for a while. */
  private release(): void {
    this.sendAll("keep");
    if (this.waiting.length > 0) this.wake(QUIET_MS);
  }

  private sendAll(large: "keep" | "drop"): void {
    const quietSince = performance.now() - QUIET_MS;
    const all = this.waiting;
    this.waiting = [];
    this.bytes = 0;
    for (const record of all) {
      const key = record.how?.is === "latest" && record.how.isFollowed ? record.how.key : undefined;
      const spent = key === undefined ? 0 : (this.spent.get(key) ?? 0);
      if (key !== undefined && record.line.length >= LARGE_BYTES && spent > record.line.length) {
        if (large === "drop" || record !== all.at(-1)) continue;
        if (record.at > quietSince) {
          this.waiting.push(record);
          this.bytes += record.line.length;
          continue;
        }
      }
      if (key !== undefined) this.spent.set(key, spent + record.line.length);
      this.send(record.type, record.merged ? mergeDeltas(record.merged) : record.line);
    }
    if (all.length > this.waiting.length) this.sentAt = performance.now();
    if (this.waiting.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** A later record makes the waiting one of its key superfluous, but not across a record that may refer to it. */
  private forget(key: string): void {
    const from = this.waiting.findLastIndex(({ how }) => how === undefined) + 1;
    const at = this.waiting.findIndex(({ how }, index) => index >= from && how?.is === "latest" && how.key === key);
    const [record] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (record) this.bytes -= record.line.length;
  }
}
