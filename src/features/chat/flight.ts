import { applyEdits, type Edit, moved, offsetAt, positionAt } from "./changes.ts";
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
 * An edit that was made at the place it was sent to, in a text that it was not for: one of CHANGES, which the editor tells of
 * one after the other, is just that, and not at the ANCHOR. TEXT and ANCHOR are as they were before them.
 */
export function strayAmong(
  changes: readonly Edit[],
  text: string,
  { chunk, edits: own, text: sent }: Flight,
  anchor: number,
): Stray | undefined {
  const [edit, ...others] = own;
  if (chunk === "" || !edit || others.length > 0 || edit.start !== edit.end) return undefined;
  const place = positionAt(sent, edit.start);
  let now = { text, anchor };
  for (const [at, change] of changes.entries()) {
    const start = offsetAt(now.text, place);
    const next = { text: applyEdits(now.text, [change]), anchor: moved(now.anchor, change) };
    if (start !== now.anchor && next.text === applyEdits(now.text, [{ start, end: start, text: edit.text }])) {
      // With its first character, and not before it.
      const found = changes.slice(at + 1).reduce((offset, later) => moved(offset, later), start + 1) - 1;
      return { start: found, text: edit.text };
    }
    now = next;
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
