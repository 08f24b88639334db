import { applyEdits, type Edit, moved, offsetAt, positionAt, rangeOf } from "./changes.ts";
import { type Job, missingBreaks, type Plan, type View } from "./jobs.ts";
import { headingAfter, headings, PI, withLf, YOU } from "./layout.ts";

/** A part of what is to be written, in order. */
export type Item = { text: string } | { job: Job; tries: number };

/** An edit that is under way. Only a later change of the document proves that it was made; the reply does not. */
export interface Flight extends Plan {
  id: number;
  item: Item;
  /** Where the chunk goes, in the text that it was sent for. */
  position: number;
  text: string;
  /** What the edit replaces, if it is one, in the text as it is now. */
  place: { start: number; end: number };
  /** Of the document, when it was sent. */
  version: number;
  isReplied: boolean;
}

/** A shorter text may stand anywhere by chance. */
const STRAY_CHARACTERS = 6;

/** The edit by which the transcript grows by TEXT. REST is what has to wait for the next one. */
export function growth({ text, anchor }: View, added: string): { plan: Plan; rest: string } {
  // A character that is cut in two would reach the editor as two broken ones.
  const [half = ""] = (added.length > 1 && /[\uD800-\uDBFF]$/.exec(added)) || [];
  const chunk = withLf(added.slice(0, added.length - half.length));
  const breaks = headingAfter(text, anchor) ? missingBreaks(text, anchor) : `\n\n${YOU}\n`;
  const edits = [{ start: anchor, end: anchor, text: chunk + breaks }];
  return { plan: { edits, chunk, anchor: anchor + chunk.length }, rest: half };
}

/** A text that stands at START, and does not belong there. */
export interface Stray {
  start: number;
  text: string;
}

/**
 * Whether one of CHANGES, which the editor tells of one after the other, is just this edit, made at the place that it was sent
 * to. TEXT is what it was before them.
 *
 * @returns where its text stands after them, and whether the place was the right one by then
 */
export function madeAmong(
  changes: readonly Edit[],
  text: string,
  { edits: own, text: sent, place }: Flight,
): { start: number; isRight: boolean } | undefined {
  const [edit, ...others] = own;
  if (!edit || others.length > 0) return undefined;
  const range = rangeOf(sent, edit);
  let now = { text, start: place.start, end: place.end };
  for (const [at, change] of changes.entries()) {
    const start = offsetAt(now.text, range.start);
    const end = offsetAt(now.text, range.end);
    const next = applyEdits(now.text, [change]);
    if (next !== now.text && next === applyEdits(now.text, [{ start, end, text: edit.text }])) {
      // With its first character, and not before it.
      const found = changes.slice(at + 1).reduce((offset, later) => moved(offset, later), start + 1) - 1;
      return { start: found, isRight: start === now.start && end === now.end };
    }
    now = { text: next, start: moved(now.start, change), end: moved(now.end, change) };
  }
  return undefined;
}

/**
 * Where in TEXT a chunk went that was meant for another one: near the line it was sent to, since clients clip positions.
 * ANCHOR is the end of the own section, where it belongs.
 */
export function strayOf({ chunk, position, text: before }: Flight, text: string, anchor: number): Stray | undefined {
  if (chunk.length < STRAY_CHARACTERS) return undefined;
  const last = positionAt(text, text.length).line;
  const line = Math.min(positionAt(before, position).line, last);
  const section = headings(text, PI).findLast(({ end }) => end <= anchor)?.start ?? anchor;
  for (let at = text.indexOf(chunk); at !== -1; at = text.indexOf(chunk, at + 1)) {
    if (at >= section && at < anchor) continue;
    if (Math.abs(positionAt(text, at).line - line) <= 1) return { start: at, text: chunk };
  }
  return undefined;
}
