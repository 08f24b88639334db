/** One command on its way to pi. The facts come from the command's row in the table. */
export interface Outgoing {
  readonly command: string;
  readonly line: string;
  /**
   * `overtakes`: goes ahead of what waits. `alone`: what was sent after it waits for its answer. `in_turn`: it waits for the
   * answer to the one before it, and with it what was sent later.
   */
  readonly order?: "overtakes" | "alone" | "in_turn" | undefined;
  /** `in_turn`: so many milliseconds the next one waits at most. */
  readonly turnMs?: number | undefined;
  /** The waiting commands that this one makes pointless; they are never sent. */
  readonly drops?: readonly string[] | undefined;
  written(): void;
  dropped(by: string): void;
}

/**
 * The commands that wait for pi, in the order in which they will be written. They wait while pi is not ready, while
 * a command that runs alone is unanswered, while the next one's turn has not come, and while pi's stdin is full: here and not in the pipe's own buffer, so
 * that an abort can still overtake them and a cancelled one is never sent.
 */
export class Outbox {
  private readonly waiting: Outgoing[] = [];
  private readonly write: (line: string) => boolean;
  private isOpen = false;
  private isFull = false;
  private alone: Outgoing | undefined;
  private turn: Outgoing | undefined;
  private turnTimer: NodeJS.Timeout | undefined;
  /** The last turn had no answer in time: there may never be one, and nothing waits for the next one before there is. */
  private isOverdue = false;
  /** Bytes that wait, so that the reader of the editor can be stopped before they are too many. */
  bytes = 0;

  /** `write` passes a line on and says whether pi's stdin takes more at once. */
  constructor(write: (line: string) => boolean) {
    this.write = write;
  }

  push(entry: Outgoing): void {
    if (entry.drops) this.drop(entry.drops, entry.command);
    this.bytes += entry.line.length;
    if (entry.order === "overtakes") {
      const firstOrdinary = this.waiting.findIndex((other) => other.order !== "overtakes");
      this.waiting.splice(firstOrdinary === -1 ? this.waiting.length : firstOrdinary, 0, entry);
    } else this.waiting.push(entry);
    this.pump();
  }

  /** Takes a command back. False when it has been written already. */
  remove(entry: Outgoing): boolean {
    if (!this.take(entry)) return false;
    // What stood behind it may have waited for its turn only.
    this.pump();
    return true;
  }

  private take(entry: Outgoing): boolean {
    const at = this.waiting.indexOf(entry);
    if (at === -1) return false;
    this.waiting.splice(at, 1);
    this.bytes -= entry.line.length;
    return true;
  }

  /** An answer to a dialog: ahead of everything, the commands that run alone and a pi that is still starting included. */
  urgent(line: string): void {
    if (!this.write(line)) this.isFull = true;
  }

  /** pi has answered `entry`. */
  answered(entry: Outgoing): void {
    if (entry.order === "in_turn") this.isOverdue = false;
    if (this.alone !== entry && this.turn !== entry) return;
    if (this.alone === entry) this.alone = undefined;
    if (this.turn === entry) this.endTurn();
    this.pump();
  }

  open(): void {
    this.isOpen = true;
    this.isFull = false;
    this.pump();
  }

  /** pi is gone or not ready: nothing is written until `open`. */
  close(): void {
    this.isOpen = false;
    this.alone = undefined;
    this.endTurn();
    this.isOverdue = false;
  }

  drained(): void {
    this.isFull = false;
    this.pump();
  }

  /** What waits, in order. */
  list(): readonly Outgoing[] {
    return this.waiting;
  }

  /** Everything that waits; the outbox is empty afterwards. */
  takeAll(): Outgoing[] {
    this.bytes = 0;
    return this.waiting.splice(0);
  }

  private beginTurn(entry: Outgoing, ms: number): void {
    this.turn = entry;
    const over = () => {
      this.endTurn();
      this.isOverdue = true;
      this.pump();
    };
    this.turnTimer = setTimeout(over, ms).unref();
  }

  private endTurn(): void {
    clearTimeout(this.turnTimer);
    this.turn = undefined;
  }

  private drop(commands: readonly string[], by: string): void {
    for (const entry of this.waiting.filter((other) => commands.includes(other.command))) {
      this.take(entry);
      entry.dropped(by);
    }
  }

  private pump(): void {
    while (this.isOpen) {
      const [next] = this.waiting;
      if (!next) return;
      // Full or not, what overtakes goes into the pipe at once: nothing ordinary may get between.
      if (next.order !== "overtakes" && (this.isFull || this.alone)) return;
      if (next.order === "in_turn" && this.turn) return;
      this.take(next);
      if (next.order === "alone") this.alone = next;
      if (next.turnMs !== undefined && !this.isOverdue) this.beginTurn(next, next.turnMs);
      if (!this.write(next.line)) this.isFull = true;
      next.written();
    }
  }
}
