import * as z from "zod";
import { THINKING_LEVELS } from "../commands/params.ts";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";
import { sessionEntry } from "../shapes/entry.ts";

export const sessionEvents = {
  queue_update: {
    summary: "The queue of steering or follow-up messages changed.",
    record: once(() =>
      z.object({
        type: z.literal("queue_update"),
        steering: z.array(z.string()).describe("The whole queue."),
        followUp: z.array(z.string()).describe("The whole queue."),
      }),
    ),
    example: { type: "queue_update", steering: ["Leave the tests alone."], followUp: [] },
  },
  entry_appended: {
    summary: "An extension stored an entry in the session.",
    record: once(() => z.object({ type: z.literal("entry_appended"), entry: sessionEntry() })),
    example: {
      type: "entry_appended",
      entry: {
        type: "custom",
        id: "a1b2c3d5",
        parentId: "a1b2c3d4",
        timestamp: "2026-01-31T09:26:54.012Z",
        customType: "todo",
        data: { open: 2 },
      },
    },
  },
  session_info_changed: {
    summary: "The session's name changed.",
    record: once(() =>
      z.object({
        type: z.literal("session_info_changed"),
        name: z.string().exactOptional().describe("Absent: the session has no name any more."),
      }),
    ),
    example: { type: "session_info_changed", name: "checkout rewrite" },
  },
  thinking_level_changed: {
    summary: "The thinking level changed.",
    record: once(() => z.object({ type: z.literal("thinking_level_changed"), level: z.enum(THINKING_LEVELS) })),
    example: { type: "thinking_level_changed", level: "high" },
  },
} as const satisfies Record<string, EventSpec>;
