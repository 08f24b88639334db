import * as z from "zod";
import { once } from "../once.ts";

export const usage = once(() =>
  z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      cacheWrite1h: z.number().exactOptional().describe("The part of `cacheWrite` that is kept for one hour."),
      reasoning: z.number().exactOptional().describe("The part of `output` that is thinking."),
      totalTokens: z.number(),
      cost: z.object({
        input: z.number(),
        output: z.number(),
        cacheRead: z.number(),
        cacheWrite: z.number(),
        total: z.number(),
        totalFromProvider: z.boolean().exactOptional().describe("`true` when `total` is what the provider billed."),
      }),
    })
    .meta({ id: "Usage", description: "Tokens and their cost in US dollars." }),
);
