import * as z from "zod";
import { once } from "../once.ts";

export const sessionStats = once(() =>
  z
    .object({
      sessionFile: z.string().exactOptional().describe("Absent when the session is not persisted."),
      sessionId: z.string(),
      userMessages: z.number(),
      assistantMessages: z.number(),
      toolCalls: z.number(),
      toolResults: z.number(),
      totalMessages: z.number(),
      tokens: z
        .object({
          input: z.number(),
          output: z.number(),
          cacheRead: z.number(),
          cacheWrite: z.number(),
          total: z.number(),
        })
        .describe("Of the whole session, with tools and summaries."),
      cost: z.number().describe("Of the whole session, in US dollars."),
      contextUsage: z
        .object({
          tokens: z.number().nullable().describe("`null` after a compaction, until the next answer."),
          contextWindow: z.number(),
          percent: z.number().nullable(),
        })
        .exactOptional()
        .describe("Absent when there is no model."),
    })
    .meta({ id: "SessionStats" }),
);
