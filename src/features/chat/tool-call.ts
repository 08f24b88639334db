import { clean, code, fenced, firstLine, size } from "./words.ts";

export interface ToolCall {
  name: string;
  args: unknown;
  result: unknown;
  isError: boolean;
}

const TARGET_CHARACTERS = 80;
const DIFF_LINES = 60;
/** What a hover shows of a result. */
const WHOLE_CHARACTERS = 20_000;

/** One line: what was called, on what, and how much came back. */
export function toolLine({ name, args, result, isError }: ToolCall): string {
  const target = targetOf(args);
  const what = target === "" ? `**${name}**` : `**${name}** ${code(target)}`;
  return `- ${what} → ${isError ? `failed: ${firstLine(textOf(result), 200)}` : outcome(name, args, result)}`;
}

/** The change that the tool made, as a fenced diff; undefined when it tells of none. */
export function toolDiff({ result, isError }: ToolCall): string | undefined {
  const { patch, diff } = Object(Object(result).details) as { patch?: unknown; diff?: unknown };
  const text = typeof patch === "string" ? patch.replace(/^(---|\+\+\+|Index:|====).*\n/gm, "") : diff;
  if (isError || typeof text !== "string" || text.trim() === "") return undefined;
  return fenced(text, "diff", DIFF_LINES, ": the file has them");
}

/** All of it, as Markdown. */
export function toolDetails({ name, args, result }: ToolCall): string {
  const { command, ...rest } = Object(args) as { command?: unknown };
  const parts = [`**${name}**`];
  if (typeof command === "string") parts.push(fenced(command, "sh", 200));
  if (Object.keys(rest).length > 0) parts.push(fenced(JSON.stringify(rest, null, 2), "json", 100));
  const text = textOf(result);
  if (text !== "") parts.push(fenced(text.slice(0, WHOLE_CHARACTERS), "", 400));
  return parts.join("\n\n");
}

/** What a tool works on: the argument that a person would name. */
function targetOf(args: unknown): string {
  const { path, file_path, command, pattern, query, url } = Object(args) as Record<string, unknown>;
  const target = [path, file_path, command, pattern, query, url].find((value) => typeof value === "string");
  return firstLine(String(target ?? ""), TARGET_CHARACTERS);
}

function outcome(name: string, args: unknown, result: unknown): string {
  const { details } = Object(result) as { details?: { patch?: unknown; diff?: unknown } };
  const diff = details?.patch ?? details?.diff;
  if (typeof diff === "string") {
    const count = (sign: string) =>
      diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    return `+${count("+")} −${count("-")}`;
  }
  const { content } = Object(args) as { content?: unknown };
  if (name === "write" && typeof content === "string") return size(content);
  const images = blocksOf(result).filter(({ type }) => type === "image").length;
  const text = textOf(result);
  if (images > 0) return `${images} image${images === 1 ? "" : "s"}${text === "" ? "" : `, ${size(text)}`}`;
  return size(text);
}

/** The text of a tool's result, or of a message. */
export function textOf(holder: unknown): string {
  const { content } = Object(holder) as { content?: unknown };
  if (typeof content === "string") return clean(content);
  return clean(
    blocksOf(holder)
      .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
      .join("\n"),
  );
}

function blocksOf(holder: unknown): { type?: unknown; text?: unknown }[] {
  const { content } = Object(holder) as { content?: unknown };
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : [];
}
