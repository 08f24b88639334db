import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic, Range } from "vscode-languageserver-protocol";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { fenced } from "../chat/words.ts";
import { mention } from "../completion/quoting.ts";
import { enclosing } from "./enclosing.ts";

/** More unsaved lines than this are not sent along. */
const UNSAVED_LINES = 2000;

/** A part of a document that is asked about. Lines are counted from 0; without lines it is all of it. */
export interface Passage {
  document: TextDocument;
  lines: { first: number; last: number } | undefined;
}

/** What RANGE selects; when it is empty, the function that it is in. */
export function passageAt(document: TextDocument, range: Range | undefined): Passage {
  if (!range) return { document, lines: undefined };
  const { start, end } = range;
  if (start.line !== end.line || start.character !== end.character) {
    // A selection of whole lines ends at the beginning of the next one.
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    return { document, lines: { first: start.line, last } };
  }
  return { document, lines: enclosing(document.getText().split(/\r\n?|\n/), start.line) };
}

/** Names the passage as pi understands it, with its text when the disk has another one. */
export function reference({ document, lines }: Passage, cwd: string): string {
  const path = pathOf(document.uri, cwd);
  const text = document.getText();
  const at = lines ? `#L${lines.first + 1}${lines.last > lines.first ? `-${lines.last + 1}` : ""}` : "";
  const name = path === undefined ? `the open document ${document.uri}${at}` : `${mention(path, false)}${at}`;
  if (path !== undefined && isSaved(document.uri, text)) return name;
  const all = text.split(/\r\n?|\n/);
  const shown = lines ? all.slice(lines.first, lines.last + 1) : all;
  return `${name}, which is not saved; this is its text now:\n\n${fenced(shown.join("\n"), document.languageId, UNSAVED_LINES)}`;
}

/** Whether the file has just this text. */
export function isSaved(uri: string, text: string): boolean {
  try {
    return readFileSync(fileURLToPath(uri), "utf8").replace(/^\ufeff/, "") === text;
  } catch {
    return false;
  }
}

/** The file, relative to CWD when it is below it; undefined when it is none. */
function pathOf(uri: string, cwd: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    const below = relative(cwd, path);
    return below === "" || below.startsWith("..") ? path : below;
  } catch {
    return undefined;
  }
}

const SEVERITIES = ["", "error", "warning", "information", "hint"];

/** The problems, one a line. */
export function problems(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map(({ message, severity, source, code, range }) => {
      const who = [source, code].filter((part) => part !== undefined && part !== "").join(" ");
      const text = (typeof message === "string" ? message : String(Object(message).value)).replaceAll(/\s*\n\s*/g, " ");
      return `- line ${range.start.line + 1}: ${SEVERITIES[severity ?? 1] ?? "error"}: ${text}${who === "" ? "" : ` (${who})`}`;
    })
    .join("\n");
}
