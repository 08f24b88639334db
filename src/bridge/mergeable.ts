import { members } from "../pi/members.ts";
import { parseRecord } from "../pi/record.ts";

/** How a record can be merged with others of its key. */
export type Mergeable =
  /** A later one says all that this one says. `isFollowed`: one comes for sure, if only the end that says all. */
  | { is: "latest"; key: string; isFollowed?: true }
  /** `delta` is appended to what came before. */
  | { is: "append"; key: string; delta: string };

/** Deltas that became one record: the texts in order, and the record of the last one. */
export interface Merged {
  deltas: string[];
  last: Buffer;
}

const DELTAS = new Set(["text_delta", "thinking_delta", "toolcall_delta"]);
const TOOL_HEAD = /^\{"type":"tool_execution_update","toolCallId":"([^"\\]+)"/;

/** Whether and how a record can be merged; undefined: it stands for itself. */
export function mergeable(type: string, line: Buffer): Mergeable | undefined {
  switch (type) {
    case "message_update": {
      const { type: kind, contentIndex, delta } = Object(parseRecord(line)?.assistantMessageEvent);
      if (!DELTAS.has(kind) || typeof delta !== "string") return undefined;
      return { is: "append", key: `${kind}:${contentIndex}`, delta };
    }
    case "bash_execution_update": {
      const { id, delta } = Object(parseRecord(line));
      return typeof delta === "string" ? { is: "append", key: `bash:${JSON.stringify(id)}`, delta } : undefined;
    }
    case "tool_execution_update": {
      // Not decoded: it repeats the whole output each time.
      const id = TOOL_HEAD.exec(line.toString("latin1", 0, 256))?.[1] ?? parseRecord(line)?.toolCallId;
      return { is: "latest", key: `tool:${id}`, isFollowed: true };
    }
    case "queue_update":
      return { is: "latest", key: type };
    case "ui/setStatus":
      return { is: "latest", key: `${type}:${parseRecord(line)?.statusKey}` };
    case "ui/setWidget":
      return { is: "latest", key: `${type}:${parseRecord(line)?.widgetKey}` };
    case "ui/setTitle":
      return { is: "latest", key: type };
    default:
      return undefined;
  }
}

/** One record for several: the last one, with the deltas of all. Everything else in it is pi's own bytes. */
export function mergeDeltas({ deltas, last }: Merged): Buffer {
  const event = members(last).get("assistantMessageEvent");
  const delta = Buffer.from(JSON.stringify(deltas.join("")));
  const inner = event ? last.subarray(...event) : last;
  const span = members(inner).get("delta");
  if (!span) throw new Error("a delta without its text");
  const merged = Buffer.concat([inner.subarray(0, span[0]), delta, inner.subarray(span[1])]);
  return event ? Buffer.concat([last.subarray(0, event[0]), merged, last.subarray(event[1])]) : merged;
}
