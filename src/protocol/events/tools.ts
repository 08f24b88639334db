import * as z from "zod";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";

const call = <T extends string>(type: T) => ({
  type: z.literal(type),
  toolCallId: z.string(),
  toolName: z.string(),
  parentToolCallId: z.string().exactOptional().describe("The call of the tool that made this call."),
});

export const toolEvents = {
  tool_execution_start: {
    summary: "A tool starts.",
    record: once(() => z.object({ ...call("tool_execution_start"), args: z.unknown() })),
    example: {
      type: "tool_execution_start",
      toolCallId: "call_abc123",
      toolName: "bash",
      args: { command: "ls" },
    },
  },
  tool_execution_update: {
    summary: "A tool tells its result up to now.",
    notes: "pi's own tools repeat the whole output each time: replace what is shown, do not append.",
    record: once(() => z.object({ ...call("tool_execution_update"), args: z.unknown(), partialResult: z.unknown() })),
    example: {
      type: "tool_execution_update",
      toolCallId: "call_abc123",
      toolName: "bash",
      args: { command: "ls" },
      partialResult: { content: [{ type: "text", text: "README.md\n" }] },
    },
  },
  tool_execution_end: {
    summary: "A tool ended.",
    record: once(() =>
      z.object({
        ...call("tool_execution_end"),
        result: z.unknown(),
        isError: z.boolean(),
        durationMs: z.number().exactOptional().describe("Absent when the tool did not run, and on pi 0.84."),
      }),
    ),
    example: {
      type: "tool_execution_end",
      toolCallId: "call_abc123",
      toolName: "bash",
      result: { content: [{ type: "text", text: "README.md\nsrc\n" }] },
      isError: false,
      durationMs: 14,
    },
  },
} as const satisfies Record<string, EventSpec>;
