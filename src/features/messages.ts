import type { MessageType } from "vscode-languageserver-protocol";
import type { EditorConnection } from "../editor/connection.ts";
import type { State } from "../pi/supervisor.ts";

// The numbers themselves: loading the constants would cost more than a third of the start.
const TYPES = { error: 1, warning: 2, info: 3 } as const satisfies Record<string, MessageType>;

/** `window/logMessage` and `window/showMessage`: what a client without any knowledge of pi gets to see. */
export class Messages {
  private readonly editor: EditorConnection;
  /** The failure that the person has been told of. Told again only after pi was ready in between. */
  private told: string | undefined;

  constructor(editor: EditorConnection) {
    this.editor = editor;
  }

  log(level: keyof typeof TYPES, text: string): void {
    const message = text.trimEnd();
    if (message !== "") this.editor.notify("window/logMessage", { type: TYPES[level], message });
  }

  show(level: keyof typeof TYPES, message: string): void {
    this.editor.notify("window/showMessage", { type: TYPES[level], message });
  }

  tellOnce(state: State): void {
    if (state.is === "ready") this.told = undefined;
    const error = "error" in state ? state.error : undefined;
    if (!error || this.told === error.message) return;
    this.told = error.message;
    const hint = "hint" in error.data ? ` ${error.data.hint}` : "";
    this.show(state.is === "failed" ? "error" : "warning", `${error.message}${hint}`);
  }
}
