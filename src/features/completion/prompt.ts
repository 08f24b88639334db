import type { TextDocument } from "vscode-languageserver-textdocument";
import { promptStartOf } from "../chat/layout.ts";

/** The language id of a document that is a prompt as a whole. */
export const PROMPT_LANGUAGE = "pi-prompt";

/** Whether a prompt is written in the document: in all of it, or, by the file's name, in its last section. */
export function isPromptDocument(uri: string, languageId: string): boolean {
  return languageId === PROMPT_LANGUAGE || isChatDocument(uri);
}

/** Whether the document holds a whole conversation. Some clients have no language id for it: the name tells. */
export function isChatDocument(uri: string): boolean {
  return /\.pi\.md(?:[?#]|$)/i.test(uri);
}

/** The offset from which on the document is the prompt; undefined when it has none. */
export function promptStart(document: TextDocument): number | undefined {
  if (isChatDocument(document.uri)) return promptStartOf(document.getText());
  return document.languageId === PROMPT_LANGUAGE ? 0 : undefined;
}
