import fc from "fast-check";

/** Text with what framing trips over: line separators, CR, astral characters, quotes, lone surrogates. */
export const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
      fc.constantFrom(
        "\u2028",
        "\u2029",
        "\r",
        "\n",
        "\r\n",
        "😀",
        "𝒳",
        "é",
        '"',
        "\\",
        "\ud800",
        "\udfff",
        "\u0000",
        "{",
        "}",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));

/** Where a stream is cut, as parts of its length. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });

/** The stream in chunks; empty ones included. */
export function chunked(stream: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...at.map((part) => Math.floor(part * stream.length)).toSorted((a, b) => a - b), stream.length];
  return ends.map((end, index) => stream.subarray(index === 0 ? 0 : ends[index - 1], end));
}
