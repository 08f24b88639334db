/**
 * What separates words in a prompt, as the source of a Unicode regular expression: blanks and the punctuation of
 * Chinese, Japanese and Korean, which is written without blanks around it. pi's own editor draws the same line.
 */
export const SEPARATOR =
  "(?:\\s|(?=\\p{P})[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}]|[，．：；！？（）［］｛｝“”‘’…—])";

const NEEDS_QUOTES = new RegExp(SEPARATOR, "u");

/**
 * A path as it is mentioned in a prompt: `@src/main.ts`, `@"my notes.md"`. A folder's quote stays open: what is in it
 * can be typed on.
 *
 * @param path a folder ends with a slash
 */
export function mention(path: string, isQuoted: boolean): string {
  if (!isQuoted && !NEEDS_QUOTES.test(path)) return `@${path}`;
  return path.endsWith("/") ? `@"${path}` : `@"${path}"`;
}
