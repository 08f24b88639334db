/** Where a member's value stands in a JSON text: `[start, end)` in bytes. */
export type Span = readonly [start: number, end: number];

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * The top-level members of a JSON object, by the bytes of their values, so that a value can be passed on verbatim.
 * The text must be valid JSON. Of a repeated name the last value counts, as for JSON.parse.
 */
export function members(json: Buffer): Map<string, Span> {
  const found = new Map<string, Span>();
  let at = skipSpace(json, skipSpace(json, 0) + 1);
  while (json[at] === QUOTE) {
    const nameEnd = stringEnd(json, at);
    const name = JSON.parse(json.toString("utf8", at, nameEnd)) as string;
    const colon = skipSpace(json, nameEnd);
    if (json[colon] !== COLON) throw new SyntaxError("not a JSON object");
    const start = skipSpace(json, colon + 1);
    const end = valueEnd(json, start);
    found.set(name, [start, end]);
    at = skipSpace(json, end);
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
  return found;
}

/** The elements of the JSON array that stands at `span`. The text must be valid JSON. */
export function elements(json: Buffer, [start, end]: Span): Span[] {
  const found: Span[] = [];
  let at = skipSpace(json, start + 1);
  while (at < end - 1) {
    const stop = valueEnd(json, at);
    found.push([at, stop]);
    at = skipSpace(json, stop);
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
  return found;
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x09 || json[at] === 0x0a || json[at] === 0x0d) at++;
  return at;
}

/** The position after the string that begins at `start`. */
function stringEnd(json: Buffer, start: number): number {
  let quote = start;
  for (;;) {
    quote = json.indexOf(QUOTE, quote + 1);
    if (quote === -1) throw new SyntaxError("unterminated string");
    let slashes = 0;
    while (json[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
}

/** The position after the value that begins at `start`. */
export function valueEnd(json: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return trimEnd(json, start, at);
      depth--;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return trimEnd(json, start, at);
    at++;
  }
  throw new SyntaxError("unterminated value");
}

/** Numbers and words end where the next token begins; the space between belongs to neither. */
function trimEnd(json: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && (json[at - 1] ?? 0) <= 0x20) at--;
  return at;
}
