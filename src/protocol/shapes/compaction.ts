import * as z from "zod";
import { once } from "../once.ts";
import { usage } from "./usage.ts";

export const compactionResult = once(() =>
  z
    .object({
      summary: z.string(),
      firstKeptEntryId: z.string().describe("The entry where the kept part of the conversation begins."),
      tokensBefore: z.number(),
      estimatedTokensAfter: z.number().exactOptional().describe("An estimate, not the provider's count."),
      usage: usage().exactOptional().describe("Of writing the summary."),
      details: z
        .unknown()
        .exactOptional()
        .describe("Of the extension that wrote the summary, or the files that the agent touched."),
    })
    .meta({ id: "CompactionResult" }),
);
