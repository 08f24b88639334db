import { members } from "../pi/members.ts";
import { type Entry, upwards } from "./entries.ts";

/** LIMIT messages of a branch, in the order of the conversation. */
export interface HistoryPage {
  /** Each `{entryId, message}`; the message is pi's own bytes. */
  items: Buffer[];
  /** The entry of the first item, when there are messages before it. */
  before?: string;
}

/** The last LIMIT messages of the branch that ends with LEAFID; with BEFORE, those before that entry. */
export function historyPage(byId: ReadonlyMap<string, Entry>, leafId: string | null, limit: number): HistoryPage {
  const items: Buffer[] = [];
  let first: string | undefined;
  for (const entry of upwards(byId, leafId)) {
    if (!isShown(entry)) continue;
    if (items.length === limit) return { items: items.reverse(), ...(first !== undefined && { before: first }) };
    items.push(item(entry));
    first = entry.id;
  }
  return { items: items.reverse() };
}

/** How many messages the branch has. */
export function messageCount(byId: ReadonlyMap<string, Entry>, leafId: string | null): number {
  let count = 0;
  for (const entry of upwards(byId, leafId)) if (isShown(entry)) count += 1;
  return count;
}

/** What pi itself makes messages of; the model's view of them (`context_edit`) changes nothing of what was said. */
const SHOWN = new Set(["message", "custom_message", "compaction", "branch_summary"]);

function isShown({ type }: Entry): boolean {
  return SHOWN.has(type);
}

function item(entry: Entry): Buffer {
  const head = Buffer.from(`{"entryId":${JSON.stringify(entry.id)},"message":`);
  return Buffer.concat([head, message(entry), Buffer.from("}")]);
}

/** As `pi/get_messages` has it. */
function message({ type, bytes }: Entry): Buffer {
  const span = type === "message" ? members(bytes).get("message") : undefined;
  if (span) return bytes.subarray(...span);
  const { summary, tokensBefore, fromId, customType, content, display, details, timestamp } = JSON.parse(
    bytes.toString("utf8"),
  ) as Record<string, unknown>;
  const time = { timestamp: Date.parse(String(timestamp)) };
  if (type === "compaction") return json({ role: "compactionSummary", summary, tokensBefore, ...time });
  if (type === "branch_summary") return json({ role: "branchSummary", summary, fromId, ...time });
  return json({ role: "custom", customType, content, display, details, ...time });
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
