import { parseRecord } from "../pi/record.ts";

/** What stands in a message in place of something large; `bridge/fetch` gives the thing itself. */
export interface Reference {
  type: "reference";
  id: string;
  of: "text" | "image";
  bytes: number;
  mimeType?: string;
  preview?: string;
}

type Block = { type?: unknown; text?: unknown; data?: unknown; mimeType?: unknown };
type Holder = { content?: unknown; role?: unknown; timestamp?: unknown; toolCallId?: unknown };

const PREVIEW_CHARACTERS = 200;
/** Deeper than any tool's details. */
const MAX_DEPTH = 64;

/**
 * Where a reference points: what stands at `path` of a tool's result, or the block of the message of that time. Not every
 * provider makes ids that are unique: `bytes` is the length of what is meant.
 */
export type Target = { bytes: number } & (
  | { in: "tool"; toolCallId: string; path: string[] }
  | { in: "message"; role: string; timestamp: number; path: string[] }
);

type Path = readonly (string | number)[];

const toolReference = (toolCallId: string, path: Path) =>
  `tool:${path.map(encodeURIComponent).join("/")}:${toolCallId}`;

export function parseReference(id: string): Target | undefined {
  const [, size, place, name = "", key = ""] = /^(\d+):(tool|message):([^:]+):(.+)$/s.exec(id) ?? [];
  const bytes = Number(size);
  try {
    const path = name.split("/").map(decodeURIComponent);
    if (place === "tool") return { in: "tool", bytes, path, toolCallId: key };
    const [, role, timestamp] = /^([a-zA-Z]+):(\d+)$/.exec(key) ?? [];
    if (place === "message" && role !== undefined)
      return { in: "message", bytes, path, role, timestamp: Number(timestamp) };
  } catch {
    // Not one of ours.
  }
  return undefined;
}

/**
 * The record with the texts of tool results, and all images, above `limit` bytes replaced. The line itself when there are
 * none.
 */
export function withReferences(line: Buffer, limit: number): Buffer {
  if (line.length <= limit) return line;
  try {
    return replaced(line, limit);
  } catch (error) {
    // Nested so deeply that it can be parsed, and not written again.
    if (error instanceof RangeError) return line;
    throw error;
  }
}

function replaced(line: Buffer, limit: number): Buffer {
  const record = parseRecord(line);
  if (!record) return line;
  const { toolCallId, result, partialResult, message, messages, toolResults } = record as Record<string, unknown>;
  let count = 0;
  for (const holder of [result, partialResult]) count += replaceInResult(holder, `${toolCallId}`, limit);
  for (const holder of [message, ...list(messages), ...list(toolResults)]) {
    const { role, toolCallId: call } = Object(holder) as Holder;
    count += role === "toolResult" ? replaceInResult(holder, `${call}`, limit) : replaceInMessage(holder, limit);
  }
  return count === 0 ? line : Buffer.from(JSON.stringify(record));
}

/** @returns how many images were replaced. */
function replaceInMessage(holder: unknown, limit: number): number {
  const { content, role, timestamp } = Object(holder) as Holder;
  return replaceBlocks(
    content,
    (block, index) =>
      block.type === "image" ? [block.data, `message:content/${index}:${role}:${timestamp}`] : undefined,
    limit,
  );
}

/** @returns how many images and texts were replaced, wherever in the result they stand: tools repeat the text in details. */
function replaceInResult(holder: unknown, toolCallId: string, limit: number): number {
  const { content } = Object(holder) as Holder;
  let replaced = replaceBlocks(
    content,
    (block, index) => {
      const value = block.type === "image" ? block.data : block.text;
      return [value, toolReference(toolCallId, ["content", index])];
    },
    limit,
  );
  for (const key of ["details", "structuredContent"]) replaced += replaceTexts(holder, [key], toolCallId, limit);
  return replaced;
}

function replaceBlocks(
  content: unknown,
  find: (block: Block, index: number) => [value: unknown, id: string] | undefined,
  limit: number,
): number {
  let replaced = 0;
  for (const [index, block] of list(content).entries()) {
    const [value, id] = find(Object(block) as Block, index) ?? [];
    if (typeof value !== "string" || id === undefined || !isLarge(value, limit)) continue;
    const { type, mimeType } = block as Block;
    (content as unknown[])[index] =
      type === "image" ? imageReference(id, value, `${mimeType}`) : textReference(id, value);
    replaced++;
  }
  return replaced;
}

/** The texts at and below the last key of PATH. */
function replaceTexts(holder: unknown, path: readonly string[], toolCallId: string, limit: number): number {
  const parent = Object(holder) as Record<string, unknown>;
  const key = path.at(-1) ?? "";
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (typeof value === "string" && isLarge(value, limit)) {
    parent[key] = textReference(toolReference(toolCallId, path), value);
    return 1;
  }
  if (typeof value !== "object" || value === null || path.length > MAX_DEPTH) return 0;
  let replaced = 0;
  for (const inner of Object.keys(value)) replaced += replaceTexts(value, [...path, inner], toolCallId, limit);
  return replaced;
}

function imageReference(place: string, data: string, mimeType: string): Reference {
  const bytes = Buffer.byteLength(data);
  return { type: "reference", id: `${bytes}:${place}`, of: "image", bytes, mimeType };
}

function textReference(place: string, text: string): Reference {
  const bytes = Buffer.byteLength(text);
  const preview = text.slice(0, PREVIEW_CHARACTERS);
  return { type: "reference", id: `${bytes}:${place}`, of: "text", bytes, preview };
}

/** A character takes three bytes of UTF-8 at the most. */
function isLarge(text: string, limit: number): boolean {
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
