const ESCAPED_SURROGATE = "\\ud";
const ESCAPED_SURROGATE_CAPITAL = "\\uD";

/**
 * The JSON text with U+FFFD for every half of a surrogate pair that stands alone: JavaScript writes such halves, and the JSON
 * parsers of many editors refuse the whole message for one. The same bytes where there is none.
 */
export function wellFormed(json: Buffer): Buffer {
  // Only what is no text is written as an escape.
  if (!json.includes(ESCAPED_SURROGATE) && !json.includes(ESCAPED_SURROGATE_CAPITAL)) return json;
  try {
    const value = JSON.parse(json.toString("utf8"), (_key, inner) =>
      typeof inner === "string" ? inner.toWellFormed() : inner,
    );
    return Buffer.from(JSON.stringify(value));
  } catch {
    return json;
  }
}

/** Whether the other half of the last character may still come. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
