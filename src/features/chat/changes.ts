import type { Position, Range, TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";

/** A replacement in a text. Offsets count UTF-16 units, as LSP does. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The text after EDITS, which do not overlap and all count in TEXT. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((one, other) => other.start - one.start || other.end - one.end);
  return sorted.reduce((result, edit) => result.slice(0, edit.start) + edit.text + result.slice(edit.end), text);
}

/** Applies what an editor tells. @returns the text, and each change by itself, without what it left as it was. */
export function applyChanges(
  text: string,
  changes: readonly TextDocumentContentChangeEvent[],
): { text: string; edits: Edit[] } {
  const edits: Edit[] = [];
  let result = text;
  for (const change of changes) {
    const [start, end] =
      "range" in change
        ? [offsetAt(result, change.range.start), offsetAt(result, change.range.end)]
        : [0, result.length];
    edits.push(trimmed({ start, end, text: change.text }, result.slice(start, end)));
    result = result.slice(0, start) + change.text + result.slice(end);
  }
  return { text: result, edits };
}

/** Where an offset is after EDIT. At its start it stays; within it, it goes to the end. */
export function moved(offset: number, { start, end, text }: Edit): number {
  if (offset <= start) return offset;
  return offset >= end ? offset + text.length - (end - start) : start + text.length;
}

/** The offset of a position; one beyond the end of its line or of the text is taken back to that. */
export function offsetAt(text: string, { line, character }: Position): number {
  let start = 0;
  for (let at = 0; at < line; at++) {
    const end = lineEnd(text, start);
    if (end === text.length) return text.length;
    start = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
  return Math.min(start + character, lineEnd(text, start));
}

export function positionAt(text: string, offset: number): Position {
  let line = 0;
  let start = 0;
  for (;;) {
    const end = lineEnd(text, start);
    const next = end + (text.startsWith("\r\n", end) ? 2 : 1);
    if (end === text.length || offset < next) return { line, character: Math.min(offset, end) - start };
    line += 1;
    start = next;
  }
}

export function rangeOf(text: string, { start, end }: { start: number; end: number }): Range {
  return { start: positionAt(text, start), end: positionAt(text, end) };
}

function lineEnd(text: string, from: number): number {
  // A CR by itself ends no line: LSP says so, but none of the editors that send one.
  const lf = text.indexOf("\n", from);
  if (lf === -1) return text.length;
  return lf > from && text[lf - 1] === "\r" ? lf - 1 : lf;
}

/** The same change without the beginning and the end that it has in common with what it REPLACED. */
function trimmed({ start, end, text }: Edit, replaced: string): Edit {
  let head = 0;
  const most = Math.min(replaced.length, text.length);
  while (head < most && replaced[head] === text[head]) head++;
  let tail = 0;
  while (tail < most - head && replaced[replaced.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}
