import type { PiOptIn } from "../protocol/options.ts";
import type { DialogName } from "../protocol/ui.ts";

/** What the editor wants of what is not LSP. A client that says nothing gets nothing but standard messages. */
export class OptIn {
  private events = false;
  private excluded: ReadonlySet<string> = new Set();
  private dialogs: ReadonlySet<string> = new Set();
  /** Milliseconds that a record may wait to be merged with the next ones; undefined: none waits. */
  coalesceMs: number | undefined;
  /** Bytes above which a text or an image is replaced by a reference; undefined: none is. */
  referenceAbove: number | undefined;

  set({ events = false, dialogs = [], coalesce, largePayloads }: PiOptIn): void {
    this.coalesceMs = coalesce?.ms;
    this.referenceAbove = largePayloads?.above;
    this.events = events !== false;
    this.excluded = new Set(typeof events === "object" ? events.exclude : []);
    this.dialogs = new Set(dialogs);
  }

  /** Whether pi is worth starting before the first request. */
  get any(): boolean {
    return this.events || this.dialogs.size > 0;
  }

  /** @param type an event's type; for UI records `ui/<method>`, for the bridge's own notifications `bridge/<name>`. */
  wants(type: string): boolean {
    return this.events && !this.excluded.has(type);
  }

  canShow(dialog: DialogName): boolean {
    return this.dialogs.has(dialog);
  }
}
