import * as z from "zod";
import { once } from "../once.ts";

const rates = () => ({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

export const model = once(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      api: z.string().describe("The kind of provider interface, such as `anthropic-messages`."),
      provider: z.string(),
      baseUrl: z.string(),
      input: z.array(z.enum(["text", "image"])),
      inputLimits: z.unknown().exactOptional().describe("Limits of the provider for images and requests."),
      cost: z
        .object({
          ...rates(),
          tiers: z.array(z.object({ ...rates(), inputTokensAbove: z.number() })).exactOptional(),
        })
        .describe("In US dollars for a million tokens."),
      headers: z.record(z.string(), z.string()).exactOptional(),
      type: z.literal("chat").exactOptional(),
      reasoning: z.boolean().describe("The model can think."),
      thinkingLevelMap: z.record(z.string(), z.string().nullable()).exactOptional(),
      promptCache: z
        .object({ short: z.number().exactOptional(), long: z.number().exactOptional() })
        .exactOptional()
        .describe("How long the provider keeps a prompt."),
      contextWindow: z.number(),
      maxTokens: z.number(),
      samplingParams: z.record(z.string(), z.unknown()).exactOptional(),
      samplingParamsByThinkingLevel: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
      compat: z.unknown().exactOptional().describe("How the provider differs from others of its `api`."),
    })
    .meta({ id: "Model", description: "A model as pi has it configured." }),
);
