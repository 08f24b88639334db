import type { EditorConnection } from "../editor/connection.ts";
import { members } from "../pi/members.ts";
import { parseRecord } from "../pi/record.ts";
import { activity } from "./activity.ts";

interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

interface AssistantMessage {
  role: string;
  content?: { type: string; text?: string }[];
  usage?: Partial<Usage>;
  stopReason?: string;
  errorMessage?: string;
}

export interface RunTokens {
  workDone?: string | number | undefined;
  partialResult?: string | number | undefined;
}

/** One run, as its caller will see it: what is known of it so far, and what is told while it goes on. */
export class Run {
  private readonly editor: EditorConnection;
  private readonly tokens: RunTokens;
  /** Each message as pi wrote it. */
  private readonly messages: Buffer[] = [];
  private readonly toolCalls: { id: unknown; name: unknown; isError: unknown }[] = [];
  private readonly usage: Usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  private last: AssistantMessage | undefined;
  private aborted = false;
  hasStarted = false;

  constructor(editor: EditorConnection, tokens: RunTokens) {
    this.editor = editor;
    this.tokens = tokens;
    this.progress({ kind: "begin", title: "pi", cancellable: true });
  }

  record(type: string, line: Buffer): void {
    if (type === "agent_start") this.hasStarted = true;
    // Deltas are decoded only for a caller that wants to see them.
    if (type === "message_update" && this.tokens.partialResult === undefined && this.tokens.workDone === undefined)
      return;
    if (type === "tool_execution_update" || type === "turn_end" || type === "agent_end") return;
    const record = parseRecord(line);
    if (!record) return;
    const message = activity(type, record);
    if (message !== undefined) this.progress({ kind: "report", message });
    if (type === "message_update") this.stream(record);
    else if (type === "message_end") this.add(line, Object(record.message));
    else if (type === "tool_execution_end")
      this.toolCalls.push({ id: record.toolCallId, name: record.toolName, isError: record.isError });
    else if (type === "agent_settled") this.aborted = record.aborted === true;
  }

  /** The result as JSON; the messages in it are pi's own bytes. */
  result(outcome: { stopReason?: string; aborted?: boolean } = {}): Buffer {
    const stopReason = outcome.stopReason ?? this.last?.stopReason ?? "stop";
    const head = JSON.stringify({
      text: textOf(this.last),
      stopReason,
      ...(stopReason === "error" && { error: this.last?.errorMessage ?? "The model gave no reason." }),
      aborted: outcome.aborted ?? (this.aborted || stopReason === "aborted"),
      usage: this.usage,
      toolCalls: this.toolCalls,
    });
    const messages = this.messages.flatMap((message, at) => (at === 0 ? [message] : [Buffer.from(","), message]));
    return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"messages":[`), ...messages, Buffer.from("]}")]);
  }

  /** Ends the progress. Nothing is told of this run any more. */
  end(): void {
    this.progress({ kind: "end" });
  }

  private add(line: Buffer, message: AssistantMessage): void {
    const span = members(line).get("message");
    if (span) this.messages.push(Buffer.from(line.subarray(...span)));
    if (message.role !== "assistant") return;
    this.last = message;
    const { usage } = message;
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const)
      this.usage[key] += usage?.[key] ?? 0;
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "total"] as const)
      this.usage.cost[key] += usage?.cost?.[key] ?? 0;
  }

  private stream(record: Record<string, unknown>): void {
    const { type, delta } = Object(record.assistantMessageEvent) as { type?: unknown; delta?: unknown };
    if (type !== "text_delta" || this.tokens.partialResult === undefined) return;
    this.editor.notify("$/progress", { token: this.tokens.partialResult, value: { text: delta } });
  }

  private progress(value: object): void {
    if (this.tokens.workDone !== undefined) this.editor.notify("$/progress", { token: this.tokens.workDone, value });
  }
}

function textOf(message: AssistantMessage | undefined): string {
  return (message?.content ?? []).flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("");
}
