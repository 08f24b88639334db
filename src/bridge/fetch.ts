import { PiError } from "../pi/error.ts";
import { parseRecord } from "../pi/record.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { parseReference, type Target } from "./references.ts";

interface Message {
  role?: unknown;
  toolCallId?: unknown;
  timestamp?: unknown;
  content?: unknown;
}

/** `bridge/fetch`: what references point to. pi's session has it; only what a running tool has told so far is kept here. */
export class References {
  private readonly pi: Supervisor;
  /** The latest record of each tool that has not got into the session yet. */
  private readonly running = new Map<string, Buffer>();

  constructor(pi: Supervisor) {
    this.pi = pi;
  }

  record(type: string, line: Buffer): void {
    if (type === "tool_execution_update" || type === "tool_execution_end") {
      const id = parseRecord(line)?.toolCallId;
      if (typeof id === "string") this.running.set(id, line);
    } else if (type === "turn_end" || type === "agent_settled") this.running.clear();
  }

  /** @throws PiError when there is no such thing (any more). */
  async fetch(id: string): Promise<unknown> {
    const target = parseReference(id);
    // A running tool has gone on since its update was told: then it is the latest that is meant.
    const block =
      target &&
      (this.inRunning(target) ?? (await this.inSession(target)) ?? this.inRunning(target, { ofAnyLength: true }));
    if (block !== undefined) return block;
    const message = `bridge/fetch: nothing has the id ${JSON.stringify(id.slice(0, 200))} in this session.`;
    throw new PiError(message, { kind: "invalid_params", issues: [{ path: ["id"], message }] });
  }

  private async inSession(target: Target): Promise<unknown> {
    const isMeant = (message: Message) =>
      target.in === "tool"
        ? message.role === "toolResult" && message.toolCallId === target.toolCallId
        : message.role === target.role && message.timestamp === target.timestamp;
    const newest = (messages: readonly Message[]) => {
      const found = messages.filter(isMeant).map((message) => at(message, target));
      return found.findLast((value) => value !== undefined);
    };
    const { messages } = (await this.pi.ask("get_messages")) as { messages: Message[] };
    const found = newest(messages);
    if (found !== undefined) return found;
    // Before a compaction, or on another branch.
    const { entries } = (await this.pi.ask("get_entries")) as { entries: { message?: Message }[] };
    return newest(entries.flatMap(({ message }) => message ?? []));
  }

  private inRunning(target: Target, { ofAnyLength = false } = {}): unknown {
    const line = target.in === "tool" ? this.running.get(target.toolCallId) : undefined;
    const record = line && parseRecord(line);
    return record && at(record.result ?? record.partialResult, target, ofAnyLength);
  }
}

/** The block or the text that a target names in its message or result; undefined when it is not of the length that it had. */
function at(holder: unknown, { path, bytes }: Target, ofAnyLength = false): unknown {
  let value: unknown = holder;
  for (const key of path)
    value = Object.hasOwn(Object(value), key) ? (value as Record<string, unknown>)[key] : undefined;
  const block = typeof value === "string" ? { type: "text", text: value } : value;
  if (ofAnyLength) return block;
  const { type, text, data } = Object(block) as { type?: unknown; text?: unknown; data?: unknown };
  const content = type === "image" ? data : text;
  return typeof content === "string" && Buffer.byteLength(content) === bytes ? block : undefined;
}
