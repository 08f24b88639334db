import * as z from "zod";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";
import { compactionResult } from "../shapes/compaction.ts";
import { exampleCompaction } from "../shapes/examples.ts";

const reason = () =>
  z
    .enum(["manual", "threshold", "overflow"])
    .describe("`threshold`: the context is nearly full. `overflow`: the provider refused it as too long.");

const wait = () => ({
  attempt: z.number(),
  maxAttempts: z.number(),
  delayMs: z.number(),
  errorMessage: z.string(),
});

export const recoveryEvents = {
  compaction_start: {
    summary: "A compaction starts.",
    record: once(() => z.object({ type: z.literal("compaction_start"), reason: reason() })),
    example: { type: "compaction_start", reason: "threshold" },
  },
  compaction_end: {
    summary: "A compaction ended.",
    record: once(() =>
      z.object({
        type: z.literal("compaction_end"),
        reason: reason(),
        result: compactionResult().nullable().exactOptional().describe("Absent when it was aborted or failed."),
        aborted: z.boolean(),
        willRetry: z.boolean().describe("The message that was too long is sent again."),
        errorMessage: z.string().exactOptional(),
      }),
    ),
    example: {
      type: "compaction_end",
      reason: "threshold",
      result: exampleCompaction,
      aborted: false,
      willRetry: false,
    },
  },
  auto_retry_start: {
    summary: "pi waits before it tries a failed request to the model again.",
    record: once(() => z.object({ type: z.literal("auto_retry_start"), ...wait() })),
    example: {
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
      errorMessage: "529 overloaded",
    },
  },
  auto_retry_end: {
    summary: "The retries ended.",
    record: once(() =>
      z.object({
        type: z.literal("auto_retry_end"),
        success: z.boolean(),
        attempt: z.number(),
        finalError: z.string().exactOptional().describe("Present when the last attempt failed too."),
      }),
    ),
    example: { type: "auto_retry_end", success: true, attempt: 2 },
  },
  summarization_retry_scheduled: {
    summary: "pi waits before it tries a failed summary again.",
    record: once(() => z.object({ type: z.literal("summarization_retry_scheduled"), ...wait() })),
    example: {
      type: "summarization_retry_scheduled",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
      errorMessage: "terminated",
    },
  },
  summarization_retry_attempt_start: {
    summary: "pi tries a failed summary again.",
    record: once(() =>
      z.discriminatedUnion("source", [
        z.object({ type: z.literal("summarization_retry_attempt_start"), source: z.literal("branchSummary") }),
        z.object({
          type: z.literal("summarization_retry_attempt_start"),
          source: z.literal("compaction"),
          reason: reason(),
        }),
      ]),
    ),
    example: { type: "summarization_retry_attempt_start", source: "compaction", reason: "threshold" },
  },
  summarization_retry_finished: {
    summary: "The retries of a summary ended.",
    record: once(() => z.object({ type: z.literal("summarization_retry_finished") })),
    example: { type: "summarization_retry_finished" },
  },
} as const satisfies Record<string, EventSpec>;
