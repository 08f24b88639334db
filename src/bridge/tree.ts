import { contentText, preview } from "../pi/sessions/preview.ts";
import type { BridgeResult } from "../protocol/bridge.ts";
import { type Entry, type Snapshot, upwards } from "./entries.ts";

type Tree = BridgeResult<"bridge/tree">;

const PREVIEW = 120;

/** Where a page begins, and the moment of the session that all pages show. */
export interface TreePosition {
  sessionId: string;
  /** The index of the first entry of the page. */
  at: number;
  /** How many entries there were. */
  end: number;
  leafId: string | null;
}

/** LIMIT nodes of the tree, in the order in which their entries were appended. */
export function treePage(snapshot: Snapshot, position: TreePosition, limit: number): Tree {
  const { sessionId, at, end, leafId } = position;
  const entries = snapshot.entries.slice(0, end);
  const active = new Set(Array.from(upwards(snapshot.byId, leafId), ({ id }) => id));
  const labels = labelsOf(entries);
  const nodes = entries.slice(at, at + limit).map((entry) => node(entry, active.has(entry.id), labels.get(entry.id)));
  const next = at + limit;
  return { nodes, leafId, ...(next < end && { cursor: toCursor({ sessionId, at: next, end, leafId }) }) };
}

function toCursor({ sessionId, at, end, leafId }: TreePosition): string {
  return Buffer.from(JSON.stringify([sessionId, at, end, leafId])).toString("base64url");
}

/** Undefined when CURSOR was not made here. */
export function fromTreeCursor(cursor: string): TreePosition | undefined {
  try {
    const [sessionId, at, end, leafId] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (typeof sessionId !== "string" || !Number.isSafeInteger(at) || !Number.isSafeInteger(end)) return undefined;
    return { sessionId, at: at as number, end: end as number, leafId: typeof leafId === "string" ? leafId : null };
  } catch {
    return undefined;
  }
}

/** The latest label of an entry counts, and one without text takes it away. */
function labelsOf(entries: readonly Entry[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    const { targetId, label } = decode(entry);
    labels.delete(String(targetId));
    if (typeof label === "string" && label !== "") labels.set(String(targetId), label);
  }
  return labels;
}

function node(entry: Entry, active: boolean, label: string | undefined): Tree["nodes"][number] {
  const record = decode(entry);
  const { role } = Object(record.message) as { role?: unknown };
  return {
    id: entry.id,
    parentId: entry.parentId,
    type: entry.type,
    ...(typeof role === "string" && { role }),
    preview: preview(textOf(entry.type, record), PREVIEW),
    ...(label !== undefined && { label }),
    timestamp: typeof record.timestamp === "string" ? record.timestamp : "",
    active,
  };
}

function decode(entry: Entry): Record<string, unknown> {
  return JSON.parse(entry.bytes.toString("utf8"));
}

/** What a person would recognize the entry by. */
function textOf(type: string, record: Record<string, unknown>): string {
  switch (type) {
    case "message":
      return messageText(Object(record.message));
    case "custom_message":
      return contentText(record.content);
    case "compaction":
    case "branch_summary":
      return text(record.summary);
    case "model_change":
      return `${text(record.provider)}/${text(record.modelId)}`;
    case "thinking_level_change":
      return text(record.thinkingLevel);
    case "label":
      return text(record.label);
    case "session_info":
      return text(record.name);
    case "custom":
      return text(record.customType);
    case "usage":
      return text(record.kind);
    default:
      return "";
  }
}

interface Block {
  type?: unknown;
  name?: unknown;
  arguments?: unknown;
  thinking?: unknown;
}

function messageText(message: Record<string, unknown>): string {
  if (message.role === "bashExecution") return `$ ${text(message.command)}`;
  const said = contentText(message.content);
  if (said.trim() !== "") return message.role === "toolResult" ? `${text(message.toolName)}: ${said}` : said;
  const blocks = (Array.isArray(message.content) ? message.content : []) as Block[];
  const calls = blocks.filter((block) => block?.type === "toolCall");
  if (calls.length > 0)
    return calls.map((call) => `${text(call.name)} ${JSON.stringify(call.arguments ?? {})}`).join(" ");
  return text(message.errorMessage) || text(message.summary) || text(blocks.find(({ thinking }) => thinking)?.thinking);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
