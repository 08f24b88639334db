/** TEXT on one line of at most LIMIT characters; `…` stands for what is left out. */
export function preview(text: string, limit: number): string {
  // Blanks go together: of a long text, some more than the limit is enough to look at.
  const line = text
    .slice(0, limit * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= limit && text.length <= limit * 4) return line;
  const cut = line.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** The text of a message's content, which is a string or a list of blocks. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block: { type?: unknown; text?: unknown } | null) =>
    block?.type === "text" && typeof block.text === "string" ? block.text : "",
  );
  return texts.filter((text) => text !== "").join(" ");
}
