import * as z from "zod";
import type { BridgeRequestSpec } from "../bridge.ts";
import { once } from "../once.ts";
import { exampleAssistantMessage, exampleUserMessage } from "../shapes/examples.ts";
import { agentMessage } from "../shapes/message.ts";
import { limit } from "./paging.ts";

export const TREE_LIMIT = 1000;
export const HISTORY_LIMIT = 100;

/** The conversation of the open session. */
export const conversationRequests = {
  "bridge/tree": {
    summary: "Get the open session's tree as a flat list, in the order in which the entries were appended.",
    notes:
      "A parent always comes before its children. The pages show one moment: that of the first one. Unlike the answer to " +
      "`pi/get_tree` this stays shallow, however long the conversation is.",
    params: once(() =>
      z.strictObject({
        limit: limit(100_000, TREE_LIMIT, "nodes"),
        cursor: z.string().exactOptional().describe("The `cursor` of the page before."),
      }),
    ),
    result: once(() =>
      z.object({
        nodes: z.array(
          z.object({
            id: z.string(),
            parentId: z.string().nullable().describe("`null`: a root."),
            type: z.string().describe("Of the entry: `message`, `compaction`, `label`, …"),
            role: z.string().exactOptional().describe("Of a message."),
            preview: z.string().describe("What it says: one line, cut at 120 characters."),
            label: z.string().exactOptional().describe("The label that the user gave the entry."),
            timestamp: z.string().describe("ISO 8601."),
            active: z.boolean().describe("It is on the way from the root to the leaf."),
          }),
        ),
        leafId: z.string().nullable().describe("The entry at the end of the active branch; `null`: none."),
        cursor: z.string().exactOptional().describe("For the next page; absent when this is the last one."),
      }),
    ),
    order: "queued",
    example: {
      params: {},
      result: {
        nodes: [
          {
            id: "a1b2c3d4",
            parentId: null,
            type: "message",
            role: "user",
            preview: "Review this repository.",
            label: "start",
            timestamp: "2026-01-31T09:26:53.589Z",
            active: true,
          },
        ],
        leafId: "a1b2c3d4",
      },
    },
  },
  "bridge/history": {
    summary: "Get the conversation of the open session in pages, the newest page first.",
    notes:
      "Within a page the messages stand in the order of the conversation. It is what was said on the active branch, also " +
      "before compactions; a compaction and the summary of a branch stand where they were made, as messages. Pages with " +
      "`before` stay on the branch of the first one. With the opt-in `largePayloads`, large texts and images are references.",
    params: once(() =>
      z.strictObject({
        before: z.string().exactOptional().describe("The `before` of the page that comes after this one."),
        limit: limit(100_000, HISTORY_LIMIT, "messages"),
      }),
    ),
    result: once(() =>
      z.object({
        messages: z.array(z.object({ entryId: z.string(), message: agentMessage() })),
        before: z.string().exactOptional().describe("For the page before this one; absent when this is the oldest."),
        total: z.number().exactOptional().describe("How many messages the branch has. Only without `before`."),
      }),
    ),
    order: "queued",
    example: {
      params: { limit: 2 },
      result: {
        messages: [
          { entryId: "a1b2c3d4", message: exampleUserMessage },
          { entryId: "b2c3d4e5", message: exampleAssistantMessage },
        ],
        before: "a1b2c3d4",
        total: 4,
      },
    },
  },
} as const satisfies Record<string, BridgeRequestSpec>;
