import type { TextDocument } from "vscode-languageserver-textdocument";

/** The language id of a document that is a prompt as a whole. */
export const PROMPT_LANGUAGE = "pi-prompt";

/** The heading that the prompt of a chat document stands below. The last one counts. */
const HEADING = "## You";

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
  if (!isChatDocument(document.uri)) return document.languageId === PROMPT_LANGUAGE ? 0 : undefined;
  const text = document.getText();
  // From the end: the transcript above may be long.
  for (let at = text.lastIndexOf(HEADING); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(HEADING, at - 1)) {
    if (at > 0 && !"\r\n".includes(text.charAt(at - 1))) continue;
    const [blank] = /^[ \t]*/.exec(text.slice(at + HEADING.length, at + HEADING.length + 1000)) ?? [""];
    const end = at + HEADING.length + blank.length;
    if (end === text.length) return undefined;
    const [eol] = /^\r?\n|^\r/.exec(text.slice(end, end + 2)) ?? [];
    if (eol !== undefined) return end + eol.length;
  }
  return undefined;
}
