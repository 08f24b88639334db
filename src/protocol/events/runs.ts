import * as z from "zod";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";
import { exampleAssistantMessage, exampleUserMessage } from "../shapes/examples.ts";
import { agentMessage, toolResultMessage } from "../shapes/message.ts";

export const runEvents = {
  agent_start: {
    summary: "The agent starts to work.",
    record: once(() => z.object({ type: z.literal("agent_start") })),
    example: { type: "agent_start" },
  },
  agent_end: {
    summary: "The agent stopped, but may go on by itself: retries, compaction and queued messages can follow.",
    notes: "Wait for `agent_settled` to know that it does not.",
    record: once(() =>
      z.object({
        type: z.literal("agent_end"),
        messages: z.array(agentMessage()).describe("The messages of this run."),
        willRetry: z.boolean(),
      }),
    ),
    example: { type: "agent_end", messages: [exampleUserMessage, exampleAssistantMessage], willRetry: false },
  },
  agent_settled: {
    summary: "The agent will not go on by itself.",
    record: once(() =>
      z.object({
        type: z.literal("agent_settled"),
        aborted: z.boolean().exactOptional().describe("The run was stopped by an abort. Absent on pi 0.84."),
      }),
    ),
    example: { type: "agent_settled", aborted: false },
  },
  turn_start: {
    summary: "A turn starts: one answer of the model and the tool calls that it makes.",
    record: once(() => z.object({ type: z.literal("turn_start") })),
    example: { type: "turn_start" },
  },
  turn_end: {
    summary: "A turn ended.",
    record: once(() =>
      z.object({ type: z.literal("turn_end"), message: agentMessage(), toolResults: z.array(toolResultMessage()) }),
    ),
    example: { type: "turn_end", message: exampleAssistantMessage, toolResults: [] },
  },
} as const satisfies Record<string, EventSpec>;
