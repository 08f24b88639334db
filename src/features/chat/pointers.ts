import type { EditorConnection } from "../../editor/connection.ts";
import { diagnostics } from "./aids.ts";
import type { ChatDocument } from "./documents.ts";
import type { Questions } from "./questions.ts";

/** The diagnostics that point to open questions. */
export class Pointers {
  private readonly editor: EditorConnection;
  private readonly questions: Questions;
  private readonly shown = new Set<ChatDocument>();

  constructor(editor: EditorConnection, questions: Questions) {
    this.editor = editor;
    this.questions = questions;
  }

  /** Tells the editor where the questions of DOCUMENT stand now, and once that there are none any more. */
  show(document: ChatDocument): void {
    const found = diagnostics(document, this.questions.open);
    if (found.length === 0 && !this.shown.delete(document)) return;
    if (found.length > 0) this.shown.add(document);
    this.editor.notify("textDocument/publishDiagnostics", { uri: document.uri, diagnostics: found });
  }
}
