import type { MessageType } from "vscode-languageserver-protocol";
import type { EditorConnection } from "../editor/connection.ts";
import type { PiError } from "../pi/error.ts";
import type { Supervisor } from "../pi/supervisor.ts";

// The numbers themselves: loading the constants would cost more than a third of the start.
const TYPES = { error: 1, warning: 2, info: 3 } as const satisfies Record<string, MessageType>;

/** `window/logMessage` and `window/showMessage`: what a client without any knowledge of pi gets to see. */
export class Messages {
  private readonly editor: EditorConnection;
  /** The failure that the person has been told of. Told again only after pi was ready in between. */
  private told: string | undefined;
  private readonly warned = new Set<string>();
  private leftOut = 0;

  constructor(editor: EditorConnection) {
    this.editor = editor;
  }

  log(level: keyof typeof TYPES, text: string): void {
    const message = text.trimEnd();
    if (message === "") return;
    // A log must not fill the memory of an editor that does not read, nor ours.
    if (this.editor.drained()) {
      this.leftOut += 1;
      return;
    }
    if (this.leftOut > 0) {
      const note = `${this.leftOut} log messages were left out while the editor did not read.`;
      this.editor.notify("window/logMessage", { type: TYPES.warning, message: note });
      this.leftOut = 0;
    }
    this.editor.notify("window/logMessage", { type: TYPES[level], message });
  }

  show(level: keyof typeof TYPES, message: string): void {
    this.editor.notify("window/showMessage", { type: TYPES[level], message });
  }

  /** Tells the person of a failure once, not with every request; again only after pi was ready in between. */
  tell({ state, status }: Supervisor): void {
    if (state.is === "ready") {
      this.told = undefined;
      for (const warning of status.warnings) this.tellWarning(warning);
    }
    const error = "error" in state ? state.error : undefined;
    if (!error || this.told === error.message) return;
    this.told = error.message;
    this.show(state.is === "failed" ? "error" : "warning", withHint(error));
  }

  private tellWarning(warning: PiError): void {
    if (this.warned.has(warning.message)) return;
    this.warned.add(warning.message);
    this.show("warning", withHint(warning));
  }
}

function withHint({ message, data }: PiError): string {
  return "hint" in data && data.hint !== undefined ? `${message} ${data.hint}` : message;
}
