/** How a name fits, the best first. */
const FIT = { whole: 0, start: 1, word: 2, inside: 3, scattered: 4 } as const;
/** Where the name stands, as seen from the folders that were typed. */
const PLACE = { beside: 0, below: 1, similar: 2, anywhere: 3 } as const;

const FITS = 5;
/** What a name has beyond the typed text counts in steps of four characters: within one, what is nearer comes first. */
const LENGTHS = 4;

/** A text as it is compared: case and the composition of accents make no difference. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.normalize("NFC");
}

/**
 * How well QUERY fits the name that begins at FROM in TEXT; both are folded.
 *
 * @returns a number, the lower the better; undefined: not at all
 */
export function nameRank(text: string, from: number, query: string): number | undefined {
  if (query === "") return 0;
  const length = text.length - from;
  const at = text.indexOf(query, from);
  if (at === from) return rank(length === query.length ? FIT.whole : FIT.start, length - query.length);
  if (at > from) return rank(isBreak(text.charCodeAt(at - 1)) ? FIT.word : FIT.inside, length - query.length);
  return isScattered(text, from, query) ? rank(FIT.scattered, length - query.length) : undefined;
}

/**
 * How well a path fits a query of folders and a name: `src/ed` fits `src/editor`, `src/lib/ed.ts` and `old-src/media`.
 *
 * @param nameAt where the last part of PATH begins
 * @param slash where the last slash of QUERY is, or -1
 */
export function pathRank(path: string, nameAt: number, query: string, slash: number): number | undefined {
  const placed = (place: number, name: number | undefined) =>
    name === undefined ? undefined : place * FITS * LENGTHS + name;
  if (slash === -1) return placed(PLACE.beside, nameRank(path, nameAt, query)) ?? anywhere(path, query);
  const name = query.slice(slash + 1);
  if (path.startsWith(query.slice(0, slash + 1))) {
    if (nameAt === slash + 1) return placed(PLACE.beside, nameRank(path, nameAt, name));
    if (path.startsWith(query)) return placed(PLACE.below, rank(FIT.whole, path.length - query.length));
    return placed(PLACE.below, nameRank(path, nameAt, name)) ?? anywhere(path, query);
  }
  return (
    (hasFolders(path, nameAt, query, slash) ? placed(PLACE.similar, nameRank(path, nameAt, name)) : undefined) ??
    anywhere(path, query)
  );
}

function rank(fit: number, beyond: number): number {
  return fit * LENGTHS + Math.min(beyond >> 2, LENGTHS - 1);
}

function anywhere(path: string, query: string): number | undefined {
  if (!isScattered(path, 0, query)) return undefined;
  return PLACE.anywhere * FITS * LENGTHS + rank(FIT.scattered, (path.length - query.length) >> 2);
}

/** Whether the folders of QUERY stand in the folders of PATH, in this order, each in one of its own. */
function hasFolders(path: string, nameAt: number, query: string, slash: number): boolean {
  let from = 0;
  for (let start = 0; start <= slash; ) {
    const end = query.indexOf("/", start);
    const at = path.indexOf(query.slice(start, end), from);
    if (at === -1) return false;
    from = path.indexOf("/", at + end - start) + 1;
    if (from === 0 || from > nameAt) return false;
    start = end + 1;
  }
  return true;
}

/** Whether the characters of QUERY stand in TEXT in their order, from FROM on. */
function isScattered(text: string, from: number, query: string): boolean {
  let at = from;
  for (let next = 0; next < query.length; next++) {
    at = text.indexOf(query.charAt(next), at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function isBreak(code: number): boolean {
  // - . _ : and the blank
  return code === 45 || code === 46 || code === 95 || code === 58 || code === 32;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}
