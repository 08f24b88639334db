import type { EditorConnection } from "../editor/connection.ts";
import type { Feature } from "./feature.ts";

export type TraceValue = "off" | "messages" | "verbose";

/** `$/setTrace`: on request, the traffic with pi is shown to the client as `$/logTrace`. */
export class Trace {
  private readonly editor: EditorConnection;
  private value: TraceValue = "off";

  constructor(editor: EditorConnection) {
    this.editor = editor;
  }

  readonly feature: Feature = {
    notifications: { "$/setTrace": (params) => this.set((params as { value?: unknown } | undefined)?.value) },
  };

  set(value: unknown): void {
    this.value = value === "messages" || value === "verbose" ? value : "off";
  }

  traffic(direction: "toPi" | "fromPi", line: Buffer | string): void {
    if (this.value === "off") return;
    const bytes = Buffer.byteLength(line);
    const text = typeof line === "string" ? line : line.toString("utf8");
    const message = `${direction === "toPi" ? "→ pi" : "← pi"} ${text.slice(0, 100)}${text.length > 100 ? "…" : ""} (${bytes} bytes)`;
    this.editor.notify("$/logTrace", this.value === "verbose" ? { message, verbose: text } : { message });
  }
}
