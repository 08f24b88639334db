import type { PiRecord, Step } from "./scenario.ts";

/** The fake pi's part in a test, written as what a real one sends. */
export function answered(type: string, reply: unknown = null): Step {
  return { expect: { type }, reply };
}

export function send(type: string, fields: Record<string, unknown> = {}): Step {
  return { send: { type, ...fields } };
}

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

export function update(event: PiRecord): Step {
  return send("message_update", { usage: USAGE, assistantMessageEvent: event });
}

/** A block of an answer, as pi streams it. */
export function block(kind: "text" | "thinking", contentIndex: number, deltas: readonly string[]): Step[] {
  return [
    update({ type: `${kind}_start`, contentIndex }),
    ...deltas.map((delta) => update({ type: `${kind}_delta`, contentIndex, delta })),
    update({ type: `${kind}_end`, contentIndex, content: deltas.join("") }),
  ];
}

export function toolCall(contentIndex: number, id: string, name: string, args: Record<string, unknown>): Step[] {
  return streamed([
    update({ type: "toolcall_start", contentIndex, id, toolName: name }),
    update({ type: "toolcall_delta", contentIndex, delta: JSON.stringify(args) }),
    update({ type: "toolcall_end", contentIndex, toolCall: { type: "toolCall", id, name, arguments: args } }),
  ]);
}

/** The answer around its blocks. */
export function streamed(blocks: readonly Step[]): Step[] {
  const message = { role: "assistant", content: [], stopReason: "pending" };
  return [
    send("message_start", { message }),
    ...blocks,
    send("message_end", { message: { ...message, stopReason: "stop" } }),
  ];
}

/** The beginning and the end of a run. */
export function started(): Step[] {
  const message = { role: "user", content: "…", timestamp: 1 };
  return [
    send("agent_start"),
    send("turn_start"),
    send("message_start", { message }),
    send("message_end", { message }),
  ];
}

export function ended(aborted = false): Step[] {
  const message = { role: "assistant", content: [], stopReason: aborted ? "aborted" : "stop" };
  return [
    send("turn_end", { message, toolResults: [] }),
    send("agent_end", { messages: [message], willRetry: false }),
    send("agent_settled", { aborted }),
  ];
}

/** A whole run with one answer. */
export function run({ text = [], thinking = [] }: { text?: string[]; thinking?: string[] }): Step[] {
  const blocks = [
    ...(thinking.length > 0 ? block("thinking", 0, thinking) : []),
    ...(text.length > 0 ? block("text", thinking.length > 0 ? 1 : 0, text) : []),
  ];
  return [...started(), ...streamed(blocks), ...ended()];
}
