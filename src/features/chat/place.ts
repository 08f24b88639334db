import { headings, PI, transcriptEnd, YOU } from "./layout.ts";

/** How much of the own text is looked for, the surest first. */
const SUFFIXES = [400, 80, 24];
/** A shorter line may stand anywhere by chance. */
const LINE_CHARACTERS = 6;
/** So much of the own text is enough for every search. */
const OWN_CHARACTERS = 400;
const HEAD_CHARACTERS = 100;

export interface Own {
  /** The end of what is known to stand before the anchor. */
  text: string;
  /** Where it ends, by the last that is known: a hint. */
  anchor: number;
  /** The heading that it stands below. */
  head?: Head | undefined;
}

/** A heading `## pi`. */
interface Head {
  /** It, and what stands before it: no other turn has that. */
  text: string;
  /** Which one it is, and of how many. */
  index: number;
  count: number;
}

/** The own text as it stands in TEXT: what is WRITTEN ends at ANCHOR. BEFORE is how it was known until now. */
export function ownOf(text: string, written: string, anchor: number, before?: Own): Own {
  return { text: written.slice(-OWN_CHARACTERS), anchor, head: headOf(text, anchor) ?? before?.head };
}

/** Undefined when a heading stands between, which is an answer's own, or that of a turn whose `## pi` is gone. */
function headOf(text: string, anchor: number): Head | undefined {
  const all = headings(text, PI);
  const index = all.findLastIndex(({ end }) => end <= anchor);
  const heading = all[index];
  if (!heading || headings(text).some(({ start }) => start > heading.end && start < anchor)) return undefined;
  const { start, end } = heading;
  return { text: text.slice(Math.max(0, start - HEAD_CHARACTERS), end), index, count: all.length };
}

/** TEXT has the section of OWN, wherever, if it is one that was saved at some time and not what became of the last one. */
export function hasSection(text: string, { head }: Own): boolean {
  return head === undefined || text.includes(head.text);
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
export function locate(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  return (
    bySuffix(text, own, chunks) ??
    byTail(text, own, chunks) ??
    (speakerAt(text, own.anchor) === PI ? undefined : byLine(text, own, chunks)) ??
    bySection(text, own, chunks)
  );
}

/** Where a section that was gone ends, now that it is there again, word for word. */
export function locateAgain(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  return own.text.length < (SUFFIXES.at(-1) ?? 0) ? undefined : bestOf(text, own, chunks, own.text, "");
}

/** What the transcript is followed by. */
const FOLLOW = `\n\n${YOU}`;

function bySuffix(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  for (const length of SUFFIXES) {
    if (length !== SUFFIXES[0] && own.text.length <= length) continue;
    const place = bestOf(text, own, chunks, own.text.slice(-length), FOLLOW);
    if (place) return place;
  }
  // Somebody wrote at the seam, or removed the heading. A few characters would be found anywhere.
  return locateAgain(text, own, chunks);
}

/**
 * How many of the chunks stand behind SUFFIX. Where a text repeats itself there are several answers: the one counts that has
 * the most of the own text before it, then the one at the place where it must be.
 */
function bestOf(text: string, own: Own, chunks: readonly string[], suffix: string, follow: string): Place | undefined {
  let best: (Place & { likeness: number }) | undefined;
  for (let landed = chunks.length; landed >= 0; landed--) {
    const added = chunks.slice(0, landed).join("");
    const at = nearest(text, suffix + added + follow, own.anchor - suffix.length);
    if (at === undefined) continue;
    const anchor = at + suffix.length + added.length;
    const isHere = anchor === own.anchor + added.length;
    const likeness = commonEnd(text, at + suffix.length, own.text) + (isHere ? 0.5 : 0);
    if (!best || likeness > best.likeness) best = { anchor, landed, likeness };
  }
  return best && { anchor: best.anchor, landed: best.landed };
}

/** The own text was edited, and its last words are still there. */
function byTail(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  const tail = own.text.slice(-(SUFFIXES.at(-1) ?? 0));
  const found = tail === "" ? -1 : text.lastIndexOf(tail);
  if (found === -1 || speakerAt(text, found) === YOU) return undefined;
  const section = found + tail.length;
  const ends = chunks.map((_, landed) => section + chunks.slice(0, landed + 1).join("").length);
  return byHeadings(text, own, chunks, section, [section, ...ends]);
}

/** The own text was edited, also where it ends: its section tells the place. */
function bySection(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  const section = beginning(text, own);
  return section === undefined ? undefined : byHeadings(text, own, chunks, section, [text.trimEnd().length]);
}

/**
 * What begins at SECTION ends before a heading, or at one of OTHERWISE when none follows; when there are several, what was
 * written may have headings in it, and the one counts that it is most like. Never one above it: an older turn's is none of
 * ours.
 */
function byHeadings(
  text: string,
  own: Own,
  chunks: readonly string[],
  section: number,
  otherwise: readonly number[],
): Place {
  const found = headings(text).flatMap(({ start }) => (start >= section ? endBefore(text, start, section) : []));
  const ends = found.length > 0 ? found : otherwise.filter((end) => end <= text.length);
  let best = { anchor: ends[0] ?? 0, landed: 0, likeness: 0 };
  for (let landed = 0; landed <= chunks.length; landed++) {
    const written = own.text + chunks.slice(0, landed).join("");
    for (const anchor of ends) {
      const likeness = commonEnd(text, anchor, written);
      if (likeness > best.likeness) best = { anchor, landed, likeness };
    }
  }
  return { anchor: best.anchor, landed: best.landed, text: text.slice(0, best.anchor) };
}

/** The headings are gone. The last line is where it must be, or it is the only one of its kind. */
function byLine(text: string, own: Own, chunks: readonly string[]): Place | undefined {
  const isBare = headings(text, PI).length === 0;
  for (let landed = chunks.length; landed >= 0; landed--) {
    const added = chunks.slice(0, landed).join("");
    const written = own.text + added;
    const line = written.slice(written.trimEnd().lastIndexOf("\n") + 1);
    if (line.trim() === "" || headings(line).length + headings(line, PI).length > 0) continue;
    // Of a long line only the end may be known.
    const isWhole = (at: number) => line === written || at === 0 || text[at - 1] === "\n";
    const hint = own.anchor + added.length - line.length;
    const first = text.indexOf(line);
    const isOnly = isBare && line.length >= LINE_CHARACTERS && first === text.lastIndexOf(line);
    const isThere = text.startsWith(line, hint) && isWhole(hint);
    if (!isThere && !(isOnly && isWhole(first) && speakerAt(text, first) !== YOU)) continue;
    const anchor = (isThere ? hint : first) + line.length;
    return { anchor, landed, text: text.slice(0, anchor) };
  }
  return undefined;
}

/** The heading above. What stands in a prompt may have the words of the answer, and is none. */
function speakerAt(text: string, at: number): string | undefined {
  const last = (title: string) => headings(text, title).findLast(({ end }) => end <= at)?.start ?? -1;
  const [you, pi] = [last(YOU), last(PI)];
  if (you === pi) return undefined;
  return you > pi ? YOU : PI;
}

/** Where the section that begins at SECTION ends, when the heading at START follows it. */
function endBefore(text: string, start: number, section: number): number {
  const anchor = Math.max(transcriptEnd(text, start), Math.min(section, start));
  return start - anchor < 2 ? start : anchor;
}

/** How many characters before AT are those that WRITTEN ends with. */
function commonEnd(text: string, at: number, written: string): number {
  let length = 0;
  const most = Math.min(at, written.length);
  while (length < most && text[at - 1 - length] === written[written.length - 1 - length]) length++;
  return length;
}

/** Where the own section begins. The turn above it is none of ours. */
function beginning(text: string, { head, anchor }: Own): number | undefined {
  if (!head) return undefined;
  const all = headings(text, PI);
  if (all.length === head.count) return all[head.index]?.end;
  const at = nearest(text, head.text, anchor - head.text.length);
  return at === undefined ? undefined : at + head.text.length;
}

/** The occurrence that begins nearest to TO. */
export function nearest(text: string, needle: string, to: number): number | undefined {
  const from = Math.max(0, to);
  const before = text.lastIndexOf(needle, from);
  const after = text.indexOf(needle, from);
  if (before === -1 || after === -1) return before === after ? undefined : Math.max(before, after);
  return from - before <= after - from ? before : after;
}
