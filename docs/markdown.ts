/** The pieces of Markdown that the generated documents are made of. */

export function code(text: string): string {
  return `\`${text}\``;
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** A pipe ends a cell even inside backticks. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The anchor that GitHub and others give the heading TEXT. */
export function anchor(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

export function link(text: string, heading = text): string {
  return `[${text}](#${anchor(heading)})`;
}

/** Parts with an empty line between them; empty parts are left out. */
export function paragraphs(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/** JSON whose parts stand on one line each where they fit. */
export function json(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const inner = `${indent}  `;
  const parts = (on: string) =>
    Array.isArray(value)
      ? value.map((item) => json(item, on))
      : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${json(member, on)}`);
  const line = `${open}${parts("").join(", ")}${close}`;
  if (indent.length + line.length <= 110 && !line.includes("\n")) return line;
  return `${open}\n${parts(inner)
    .map((part) => inner + part)
    .join(",\n")}\n${indent}${close}`;
}
