import { headings, PI, transcriptEnd, YOU } from "./layout.ts";

/** How much of the own text is looked for, the surest first. */
const SUFFIXES = [400, 80, 24];
/** A shorter line may stand anywhere by chance. */
const LINE_CHARACTERS = 6;
/** So much of the own text is enough for every search. */
export const OWN_CHARACTERS = 400;

export interface Own {
  /** The end of what is known to stand before the anchor. */
  text: string;
  /** Where it ends, by the last that is known: a hint. */
  anchor: number;
}

export interface Place {
  anchor: number;
  /** How many of the chunks that are under way stand before the anchor. */
  landed: number;
  /** The own text was not found as it was left: what stands before the anchor now, with the chunks that have landed. */
  text?: string;
}

/**
 * Finds by content where the own text ends. CHUNKS are on their way to that place, in order.
 *
 * @returns undefined when the own section is not in TEXT any more
 */
export function locate(text: string, own: Own, chunks: readonly string[], eol: string): Place | undefined {
  return bySuffix(text, own, chunks, eol) ?? byStructure(text, own, chunks, eol) ?? byLine(text, own, chunks);
}

/** What the transcript is followed by. */
export function followOf(eol: string): string {
  return `${eol}${eol}${YOU}`;
}

function bySuffix(text: string, own: Own, chunks: readonly string[], eol: string): Place | undefined {
  const follow = followOf(eol);
  for (const length of SUFFIXES) {
    if (length !== SUFFIXES[0] && own.text.length <= length) continue;
    const place = bestOf(text, own, chunks, own.text.slice(-length), follow);
    if (place) return place;
  }
  // Somebody wrote at the seam, or removed the heading. A few characters would be found anywhere.
  if (own.text.length < (SUFFIXES.at(-1) ?? 0)) return undefined;
  return bestOf(text, own, chunks, own.text, "");
}

/** The most chunks that can be found behind SUFFIX. */
function bestOf(text: string, own: Own, chunks: readonly string[], suffix: string, follow: string): Place | undefined {
  for (let landed = chunks.length; landed >= 0; landed--) {
    const before = suffix + chunks.slice(0, landed).join("");
    const at = nearest(text, before + follow, own.anchor - suffix.length);
    if (at !== undefined) return { anchor: at + before.length, landed };
  }
  return undefined;
}

/**
 * The own text was edited: its section tells the place. It ends before a heading; when there are several, what was written
 * may have headings in it, and the one counts that it is most like. Never one above it: an older turn's is none of ours.
 */
function byStructure(text: string, own: Own, chunks: readonly string[], eol: string): Place | undefined {
  const tail = own.text.slice(-(SUFFIXES.at(-1) ?? 0));
  const found = tail === "" ? -1 : text.lastIndexOf(tail);
  const section = found === -1 ? nearestLine(text, own.anchor) : found + tail.length;
  if (section === undefined) return undefined;
  const ends = headings(text).flatMap(({ start }) => (start >= section ? endBefore(text, start, section, eol) : []));
  if (ends.length === 0)
    for (let landed = 0; landed <= chunks.length; landed++)
      ends.push(found === -1 ? text.trimEnd().length : section + chunks.slice(0, landed).join("").length);
  let best = { anchor: ends[0] ?? 0, landed: 0, likeness: 0 };
  for (let landed = 0; landed <= chunks.length; landed++) {
    const written = own.text + chunks.slice(0, landed).join("");
    for (const anchor of ends.filter((end) => end <= text.length)) {
      const likeness = commonEnd(text, anchor, written);
      if (likeness > best.likeness) best = { anchor, landed, likeness };
    }
  }
  return { anchor: best.anchor, landed: best.landed, text: text.slice(0, best.anchor) };
}

/** No heading is left. The last line is where it must be, or it is the only one of its kind. */
function byLine(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  for (let landed = chunks.length; landed >= 0; landed--) {
    const added = chunks.slice(0, landed).join("");
    const written = own.text + added;
    const line = written.slice(written.trimEnd().lastIndexOf("\n") + 1);
    if (line.trim() === "") continue;
    const hint = own.anchor + added.length - line.length;
    const only =
      line.length >= LINE_CHARACTERS && text.indexOf(line) === text.lastIndexOf(line) ? text.indexOf(line) : -1;
    const at = text.startsWith(line, hint) ? hint : only;
    if (at >= 0) return { anchor: at + line.length, landed, text: text.slice(0, at + line.length) };
  }
  return undefined;
}

/** Where the section that begins at SECTION ends, when the heading at START follows it. */
function endBefore(text: string, start: number, section: number, eol: string): number {
  const anchor = Math.max(transcriptEnd(text, start), Math.min(section, start));
  return start - anchor < 2 * eol.length ? start : anchor;
}

/** How many characters before AT are those that WRITTEN ends with. */
function commonEnd(text: string, at: number, written: string): number {
  let length = 0;
  const most = Math.min(at, written.length);
  while (length < most && text[at - 1 - length] === written[written.length - 1 - length]) length++;
  return length;
}

function nearestLine(text: string, to: number): number | undefined {
  const ends = headings(text, PI).map(({ end }) => end);
  return ends.sort((one, other) => Math.abs(one - to) - Math.abs(other - to))[0];
}

/** The occurrence that begins nearest to TO. */
function nearest(text: string, needle: string, to: number): number | undefined {
  const from = Math.max(0, to);
  const before = text.lastIndexOf(needle, from);
  const after = text.indexOf(needle, from);
  if (before === -1 || after === -1) return before === after ? undefined : Math.max(before, after);
  return from - before <= after - from ? before : after;
}
