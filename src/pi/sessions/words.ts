/** Of a longer word (a key, a blob) only the beginning is kept. */
const LONGEST_WORD = 200;
/** Of one session, in characters. What comes after so many different words is not found by a search. */
const MOST_CHARACTERS = 1024 * 1024;

/** The different words of a session's messages. */
export class Words {
  private readonly words: Set<string>;
  private length: number;

  /** BYTES are those of an earlier `toBytes`. */
  constructor(bytes?: Buffer) {
    this.words = new Set(bytes && bytes.length > 0 ? bytes.toString("utf8").split(" ") : []);
    this.length = bytes?.length ?? 0;
  }

  add(text: string): void {
    if (this.length >= MOST_CHARACTERS) return;
    for (const word of wordsOf(text)) {
      if (this.words.has(word)) continue;
      this.words.add(word);
      this.length += word.length + 1;
    }
  }

  toBytes(): Buffer {
    return Buffer.from([...this.words].join(" "));
  }
}

/** Letters, digits and `_`, in lower case: `src/Cart.ts` is `src`, `cart`, `ts`. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return words.map((word) => word.slice(0, LONGEST_WORD));
}
