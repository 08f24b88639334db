import type { PiError } from "./error.ts";
import type { PiRecord } from "./record.ts";

/** How pi is. */
export type State =
  | { is: "stopped"; error?: PiError | undefined }
  | { is: "starting"; words: string[] }
  | { is: "ready"; words: string[]; pid: number | undefined; version: string | undefined }
  /** It has ended unasked, and the next one starts when the timer says so. */
  | { is: "restarting"; error: PiError; timer: NodeJS.Timeout }
  | { is: "failed"; error: PiError };

export interface SupervisorEvents {
  /** An event or a UI record, in the order in which pi wrote it. */
  record(record: Extract<PiRecord, { is: "event" | "ui" }>): void;
  /** The records before a response are through. A promise holds pi's output back. */
  flush(): Promise<void> | undefined;
  /** The records of a chunk are through. A promise holds pi's output back. */
  chunkEnd(): Promise<void> | undefined;
  /** The state or the status has changed. */
  changed(): void;
  /** The open dialogs cannot be answered any more. */
  closeDialogs(reason: "abort" | "session_replaced" | "exited"): void;
  /** The run has ended without pi's saying so: it is idle after all, or gone (`error`). */
  runEnded(error: PiError | undefined): void;
  log(level: "info" | "warning" | "error", text: string): void;
  /** Bytes that wait for pi, whenever that changes. */
  backlog(bytes: number): void;
  /** Every line in either direction, for the trace. */
  traffic(direction: "toPi" | "fromPi", line: Buffer | string): void;
  /** What happens to the process, for the trace; its stderr also for whoever watches. */
  process(note: ProcessNote): void;
}

export type ProcessNote = { start: readonly string[] } | { stderr: string } | { exit: number } | { kill: string };
