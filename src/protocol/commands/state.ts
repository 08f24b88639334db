import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { exampleModel } from "../shapes/examples.ts";
import { agentMessage } from "../shapes/message.ts";
import { model } from "../shapes/model.ts";
import { noParams, THINKING_LEVELS } from "./params.ts";

export const state = {
  get_state: {
    summary: "Get the state of the session.",
    notes:
      "Without a selected model, `model` is a placeholder whose `id` is `unknown`; be prepared for `null` and for nothing too. " +
      "A status line needs no polling: `bridge/state` is sent when something changes.",
    params: noParams,
    result: once(() =>
      z.object({
        model: model().nullable().exactOptional(),
        thinkingLevel: z.enum(THINKING_LEVELS),
        isStreaming: z.boolean().describe("The agent runs."),
        isCompacting: z.boolean(),
        steeringMode: z.enum(["all", "one-at-a-time"]),
        followUpMode: z.enum(["all", "one-at-a-time"]),
        sessionFile: z.string().exactOptional().describe("Absent when the session is not persisted."),
        sessionId: z.string(),
        sessionName: z.string().exactOptional(),
        autoCompactionEnabled: z.boolean(),
        messageCount: z.number(),
        pendingMessageCount: z.number().describe("Queued messages, both kinds."),
      }),
    ),
    immediate: true,
    example: {
      params: {},
      result: {
        model: exampleModel,
        thinkingLevel: "medium",
        isStreaming: false,
        isCompacting: false,
        steeringMode: "one-at-a-time",
        followUpMode: "one-at-a-time",
        sessionFile: "/home/ada/.pi/agent/sessions/--home-ada-shop--/2026-01-31T09-26-53-589Z_0199f1c2.jsonl",
        sessionId: "0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10",
        sessionName: "checkout rewrite",
        autoCompactionEnabled: true,
        messageCount: 5,
        pendingMessageCount: 0,
      },
    },
  },
  get_messages: {
    summary: "Get all messages of the conversation.",
    notes:
      "After a compaction these are the messages that the model still sees. `pi/get_entries` has the whole history.",
    params: noParams,
    result: once(() => z.object({ messages: z.array(agentMessage()) })),
    immediate: true,
    example: {
      params: {},
      result: { messages: [{ role: "user", content: "Review this repository.", timestamp: 1769851613589 }] },
    },
  },
} as const satisfies Record<string, CommandSpec>;
