import { existsSync } from "node:fs";
import { type PiRecord, parseRecord, readRecord } from "./record.ts";
import { Status } from "./status.ts";

type Kind<K extends PiRecord["is"]> = Extract<PiRecord, { is: K }>;

interface IncomingEvents {
  heard(): void;
  traffic(line: Buffer): void;
  record(record: Kind<"event" | "ui">): void;
  /** The records before a response are through. A promise holds pi's output back. */
  flush(): Promise<void> | undefined;
  answer(record: Kind<"response" | "failure">): void;
  /** An event has changed the status. */
  folded(): void;
  /** Only pi can tell what an event has changed. */
  ask(): void;
  log(text: string): void;
}

/** What a running pi writes, line by line: each record goes where it belongs, and then brings the status up to date. */
export class Incoming {
  private readonly status: Status;
  private readonly events: IncomingEvents;
  /** Of the message that pi has just ended, and is about to write to the session's file. */
  private endedRole: unknown;

  constructor(status: Status, events: IncomingEvents) {
    this.status = status;
    this.events = events;
  }

  /** pi has ended: whether it has written its last message, nobody knows. */
  ended(): void {
    this.endedRole = undefined;
  }

  /** A promise holds the next line back. */
  line(line: Buffer): Promise<void> | undefined {
    if (line.length === 0) return undefined;
    this.events.heard();
    this.events.traffic(line);
    const record = readRecord(line);
    switch (record.is) {
      case "event":
        // First the record, then the state that it brings about.
        this.events.record(record);
        if (this.endedRole !== undefined) this.noteSaved(this.endedRole);
        this.endedRole =
          record.type === "message_end" && this.status.hasUnsaved
            ? (Object(parseRecord(line)?.message) as { role?: unknown }).role
            : undefined;
        if (Status.concerns(record.type)) this.fold(record.type, line);
        if (Status.asks.has(record.type)) this.events.ask();
        return undefined;
      case "ui":
        this.events.record(record);
        return undefined;
      case "foreign":
        this.events.log(`pi's stdout, not a record: ${line.toString("utf8", 0, 500)}`);
        return undefined;
      default: {
        // The records before the response go first; then it gets its turn, before the records that follow it.
        const wait = this.events.flush();
        this.events.answer(record);
        return (wait ?? Promise.resolve()).then(() => new Promise((resolve) => setImmediate(resolve)));
      }
    }
  }

  /**
   * pi tells of a message's end, and then writes it to the session's file: the next event shows that it has. But some
   * versions begin the file with the first answer.
   */
  private noteSaved(role: unknown): void {
    const file = this.status.session?.file;
    if (role === "assistant") this.status.saved();
    else if (role === "user" && file !== undefined && existsSync(file)) this.status.saved();
  }

  private fold(type: string, line: Buffer): void {
    const record = parseRecord(line);
    if (!record) return;
    this.status.fold(type, record);
    this.events.folded();
  }
}
