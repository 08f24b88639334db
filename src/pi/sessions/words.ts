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
    for (const [match] of lowered(text).matchAll(WORD)) {
      const word = match.slice(0, LONGEST_WORD);
      if (this.words.has(word)) continue;
      this.words.add(word);
      this.length += word.length + 1;
    }
  }

  /** In memory of their own: a slice of Node's pool would keep the whole pool alive. */
  toBytes(): Buffer {
    const text = [...this.words].join(" ");
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    bytes.write(text);
    return bytes;
  }
}

/** Letters, digits and `_`, in lower case: `src/Cart.ts` is `src`, `cart`, `ts`. */
export function wordsOf(text: string): string[] {
  return Array.from(lowered(text).matchAll(WORD), ([match]) => match.slice(0, LONGEST_WORD));
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

function lowered(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
