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

/** Where a reference points: the block at `index` of a tool's result, or of the message of that time. */
export type Target =
  | { in: "tool"; toolCallId: string; index: number }
  | { in: "message"; role: string; timestamp: number; index: number };

export function parseReference(id: string): Target | undefined {
  const tool = /^tool:(\d+):(.+)$/s.exec(id);
  if (tool) return { in: "tool", index: Number(tool[1]), toolCallId: tool[2] ?? "" };
  const message = /^message:(\d+):([a-zA-Z]+):(\d+)$/.exec(id);
  if (!message) return undefined;
  return { in: "message", index: Number(message[1]), role: message[2] ?? "", timestamp: Number(message[3]) };
}

/** The record with the texts of tool results, and all images, above `limit` bytes replaced. The line itself when there are none. */
export function withReferences(line: Buffer, limit: number): Buffer {
  if (line.length <= limit) return line;
  const record = parseRecord(line);
  if (!record) return line;
  const { toolCallId, result, partialResult, message, messages, toolResults } = record as Record<string, unknown>;
  let replaced = 0;
  for (const holder of [result, partialResult]) replaced += replaceIn(holder, `${toolCallId}`, limit);
  for (const holder of [message, ...list(messages), ...list(toolResults)]) {
    const { role, toolCallId: call } = Object(holder) as Holder;
    replaced += replaceIn(holder, role === "toolResult" ? `${call}` : undefined, limit);
  }
  return replaced === 0 ? line : Buffer.from(JSON.stringify(record));
}

/** @returns how many blocks were replaced. @param toolCallId of a tool's result; its texts are replaced too. */
function replaceIn(holder: unknown, toolCallId: string | undefined, limit: number): number {
  const { content, role, timestamp } = Object(holder) as Holder;
  if (!Array.isArray(content)) return 0;
  let replaced = 0;
  content.forEach((block: Block, index) => {
    const value = block?.type === "image" ? block.data : toolCallId === undefined ? undefined : block?.text;
    if (typeof value !== "string" || value.length <= limit) return;
    const id = toolCallId === undefined ? `message:${index}:${role}:${timestamp}` : `tool:${index}:${toolCallId}`;
    const bytes = Buffer.byteLength(value);
    const reference: Reference =
      block.type === "image"
        ? { type: "reference", id, of: "image", bytes, mimeType: String(block.mimeType) }
        : { type: "reference", id, of: "text", bytes, preview: value.slice(0, PREVIEW_CHARACTERS) };
    content[index] = reference;
    replaced++;
  });
  return replaced;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
