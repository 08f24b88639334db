import { applyEdits, type Edit, offsetAt, positionAt } from "../../src/features/chat/changes.ts";
import type { Clock } from "../../src/features/chat/pace.ts";
import type { Writer } from "../../src/features/chat/writer.ts";

/** Time that passes when it is told to, one event after the other. */
export class SimulatedClock implements Clock {
  private time = 0;
  private order = 0;
  private events: { at: number; order: number; run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const event = { at: this.time + Math.max(0, ms), order: this.order++, run };
    this.events.push(event);
    return () => {
      this.events = this.events.filter((one) => one !== event);
    };
  }

  /** Runs everything that is due until MS have passed. */
  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      this.events.sort((one, other) => one.at - other.at || one.order - other.order);
      const next = this.events[0];
      if (!next || next.at > end) break;
      this.events.shift();
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}

/** How a kind of client tells of changes and deals with edits. */
export interface Kind {
  name: string;
  /** `clientInfo.name`, which decides how it is treated. */
  client: string;
  /** Milliseconds from a change to the message that tells of it; 0: at once. */
  syncMs: number;
  /** The wait begins anew with every change that the person makes. */
  isDebounced?: true;
  /** It tells of an applied edit only when the person types. */
  needsKey?: true;
  /** All changes since the last message become one replacement. */
  merges?: "one" | "full";
  /** What it does with an edit for another version than its own. */
  stale: "refuse" | "lie" | "apply";
  /** Its version rises with every change, and not only when it tells of them. */
  isStrict?: true;
  /** It tells of an edit before it replies to it. */
  isEarly?: true;
}

/** One document in an editor, with a person at the keys. */
export class SimulatedEditor {
  text: string;
  private synced: string;
  private version = 1;
  private bufferVersion = 1;
  private changes: Edit[] = [];
  private lastTold = 0;
  private calledOff: (() => void) | undefined;
  readonly counts = { applied: 0, refused: 0, lied: 0 };
  private readonly kind: Kind;
  private readonly clock: SimulatedClock;
  private readonly latency: () => number;
  writer!: Writer;

  constructor(kind: Kind, clock: SimulatedClock, text: string, latency: () => number) {
    this.kind = kind;
    this.clock = clock;
    this.text = text;
    this.synced = text;
    this.latency = latency;
  }

  /** The person replaces something. */
  type({ start, end, text }: Edit): void {
    this.change({ start, end, text });
    this.schedule(true);
  }

  /** An edit of the server's, on its way. */
  receive(id: number, edits: readonly Edit[], text: string, version: number | null): void {
    const ranges = edits.map((edit) => ({
      ...edit,
      from: positionAt(text, edit.start),
      to: positionAt(text, edit.end),
    }));
    this.clock.after(this.latency(), () => {
      const isStale = version !== null && version !== (this.kind.isStrict ? this.bufferVersion : this.version);
      if (isStale && this.kind.stale !== "apply") {
        const lies = this.kind.stale === "lie";
        this.counts[lies ? "lied" : "refused"] += 1;
        return this.reply(id, lies);
      }
      this.counts.applied += 1;
      const own = ranges.map(({ from, to, text: added }) => ({
        start: offsetAt(this.text, from),
        end: offsetAt(this.text, to),
        text: added,
      }));
      // Backwards, as clients do it: one edit does not move the next.
      for (const edit of own.sort((one, other) => other.start - one.start)) this.change(edit);
      if (this.kind.isEarly) this.flush();
      this.reply(id, true);
      if (!this.kind.isEarly && !this.kind.needsKey) this.schedule(false);
    });
  }

  /** Tells of everything that has changed. */
  flush(): void {
    this.calledOff?.();
    this.calledOff = undefined;
    if (this.changes.length === 0) return;
    const changes = this.described();
    this.changes = [];
    this.synced = this.text;
    this.version = this.kind.isStrict ? this.bufferVersion : this.version + 1;
    this.bufferVersion = this.version;
    const { version } = this;
    this.tell(() => this.writer.changed(changes, version));
  }

  /** What an editor says arrives in the order in which it was said. */
  private tell(message: () => void): void {
    const at = Math.max(this.clock.now() + this.latency(), this.lastTold);
    this.lastTold = at;
    this.clock.after(at - this.clock.now(), message);
  }

  private change(edit: Edit): void {
    this.changes.push(edit);
    this.text = applyEdits(this.text, [edit]);
    this.bufferVersion += 1;
  }

  private described() {
    if (this.kind.merges === "full") return [{ text: this.text }];
    if (this.kind.merges === "one") {
      const before = this.synced;
      let head = 0;
      while (head < before.length && before[head] === this.text[head]) head++;
      let tail = 0;
      while (
        tail < Math.min(before.length, this.text.length) - head &&
        before[before.length - 1 - tail] === this.text[this.text.length - 1 - tail]
      )
        tail++;
      const range = { start: positionAt(before, head), end: positionAt(before, before.length - tail) };
      return [{ range, text: this.text.slice(head, this.text.length - tail) }];
    }
    let text = this.synced;
    return this.changes.map((edit) => {
      const range = { start: positionAt(text, edit.start), end: positionAt(text, edit.end) };
      text = applyEdits(text, [edit]);
      return { range, text: edit.text };
    });
  }

  private schedule(isTyped: boolean): void {
    if (this.kind.syncMs === 0) return this.flush();
    if (this.kind.isDebounced && isTyped) {
      this.calledOff?.();
      this.calledOff = undefined;
    }
    // When nobody types, a debouncing client tells at once.
    const wait = this.kind.isDebounced && !isTyped && this.changes.length === 1 ? 5 : this.kind.syncMs;
    this.calledOff ??= this.clock.after(wait, () => this.flush());
  }

  private reply(id: number, isApplied: boolean): void {
    this.tell(() => this.writer.replied(id, isApplied));
  }
}
