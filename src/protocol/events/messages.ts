import * as z from "zod";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";
import { toolCall } from "../shapes/content.ts";
import { exampleAssistantMessage, exampleUsage, exampleUserMessage } from "../shapes/examples.ts";
import { agentMessage, assistantMessage } from "../shapes/message.ts";
import { usage } from "../shapes/usage.ts";

const contentIndex = () => z.number().describe("Which content block of the message.");

const starts = <T extends string>(type: T) => z.object({ type: z.literal(type), contentIndex: contentIndex() });
const grows = <T extends string>(type: T) =>
  z.object({ type: z.literal(type), contentIndex: contentIndex(), delta: z.string() });
const ends = <T extends string>(type: T) =>
  z.object({ type: z.literal(type), contentIndex: contentIndex(), content: z.string() });

const assistantMessageEvent = once(() =>
  z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("start") }),
      starts("text_start"),
      grows("text_delta"),
      ends("text_end"),
      starts("thinking_start"),
      grows("thinking_delta"),
      ends("thinking_end"),
      z.object({
        type: z.literal("toolcall_start"),
        contentIndex: contentIndex(),
        id: z.string().exactOptional().describe("Absent on pi 0.84."),
        toolName: z.string().exactOptional().describe("Absent on pi 0.84."),
      }),
      grows("toolcall_delta"),
      z.object({ type: z.literal("toolcall_end"), contentIndex: contentIndex(), toolCall: toolCall() }),
      z.object({
        type: z.literal("done"),
        reason: z.enum(["stop", "length", "toolUse", "deferred"]),
        message: assistantMessage(),
      }),
      z.object({ type: z.literal("error"), reason: z.enum(["aborted", "error"]), error: assistantMessage() }),
    ])
    .meta({ id: "AssistantMessageEvent", description: "A step of a streamed answer." }),
);

export const messageEvents = {
  message_start: {
    summary: "A message starts.",
    record: once(() => z.object({ type: z.literal("message_start"), message: agentMessage() })),
    example: { type: "message_start", message: exampleUserMessage },
  },
  message_update: {
    summary: "A part of a streamed answer.",
    notes:
      "Add `delta` to the content block `contentIndex`; what the `…_end` steps and finally `message_end` carry replaces " +
      "what was put together. pi sends no `start`, `done` and `error` here in an ordinary run.",
    record: once(() =>
      z.object({
        type: z.literal("message_update"),
        usage: usage().exactOptional().describe("Of the answer up to now. Absent on pi 0.84."),
        assistantMessageEvent: assistantMessageEvent(),
      }),
    ),
    example: {
      type: "message_update",
      usage: exampleUsage,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Hello" },
    },
  },
  message_end: {
    summary: "A message is complete.",
    notes: "This is the message that counts, whatever was put together from `message_update`.",
    record: once(() => z.object({ type: z.literal("message_end"), message: agentMessage() })),
    example: { type: "message_end", message: exampleAssistantMessage },
  },
} as const satisfies Record<string, EventSpec>;
