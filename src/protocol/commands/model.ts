import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { exampleModel } from "../shapes/examples.ts";
import { model as modelSchema } from "../shapes/model.ts";
import { noParams, THINKING_LEVELS } from "./params.ts";

export const model = {
  set_model: {
    summary: "Use another model.",
    params: once(() =>
      z.strictObject({
        provider: z.string().describe("The model's `provider`, as in `pi/get_available_models`."),
        modelId: z.string().describe("The model's `id`."),
      }),
    ),
    result: modelSchema,
    changesState: true,
    example: { params: { provider: "anthropic", modelId: "claude-sonnet-4-20250514" }, result: exampleModel },
  },
  cycle_model: {
    summary: "Use the next available model.",
    notes: "The result is `null` when there is only one.",
    params: noParams,
    result: once(() =>
      z
        .object({
          model: modelSchema(),
          thinkingLevel: z.enum(THINKING_LEVELS),
          isScoped: z.boolean().describe("`true` when pi cycles through the models of its `--models` flag."),
        })
        .nullable(),
    ),
    changesState: true,
    example: { params: {}, result: { model: exampleModel, thinkingLevel: "medium", isScoped: false } },
  },
  get_available_models: {
    summary: "List all configured models.",
    params: noParams,
    result: once(() => z.object({ models: z.array(modelSchema()) })),
    immediate: true,
    example: { params: {}, result: { models: [exampleModel] } },
  },
} as const satisfies Record<string, CommandSpec>;
