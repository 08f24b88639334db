import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { compactionResult } from "../shapes/compaction.ts";
import { exampleCompaction } from "../shapes/examples.ts";
import { noResult } from "./params.ts";

export const compaction = {
  compact: {
    summary: "Replace the older part of the conversation with a summary, to free context.",
    notes:
      "Answered when the summary is written, which can take minutes. " +
      "pi 0.84 cannot be stopped while it compacts: a cancelled request stays open until it has ended.",
    params: once(() =>
      z.strictObject({
        customInstructions: z.string().exactOptional().describe("What the summary should keep in view."),
      }),
    ),
    result: compactionResult,
    cancel: { send: "abort" },
    changesState: true,
    needsModel: true,
    example: { params: { customInstructions: "Keep the open questions." }, result: exampleCompaction },
  },
  set_auto_compaction: {
    summary: "Turn automatic compaction on or off.",
    notes: "pi stores this in its settings.",
    params: once(() => z.strictObject({ enabled: z.boolean().describe("Compact when the context is nearly full.") })),
    result: noResult,
    immediate: true,
    example: { params: { enabled: true }, result: null },
  },
} as const satisfies Record<string, CommandSpec>;
