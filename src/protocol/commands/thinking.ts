import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { noParams, noResult, THINKING_LEVELS } from "./params.ts";

export const thinking = {
  set_thinking_level: {
    summary: "Set how much the model thinks.",
    notes:
      "A level that the model does not have is replaced with one that it has. `pi/get_available_thinking_levels` lists them.",
    params: once(() => z.strictObject({ level: z.enum(THINKING_LEVELS).describe("The thinking level.") })),
    result: noResult,
    changesState: true,
    immediate: true,
    example: { params: { level: "high" }, result: null },
  },
  cycle_thinking_level: {
    summary: "Use the next thinking level.",
    notes: "The result is `null` when the model does not think.",
    params: noParams,
    result: once(() => z.object({ level: z.enum(THINKING_LEVELS) }).nullable()),
    changesState: true,
    immediate: true,
    example: { params: {}, result: { level: "high" } },
  },
  get_available_thinking_levels: {
    summary: "List the thinking levels of the current model.",
    notes: '`["off"]` for a model that does not think.',
    params: noParams,
    result: once(() => z.object({ levels: z.array(z.enum(THINKING_LEVELS)) })),
    immediate: true,
    example: { params: {}, result: { levels: ["off", "minimal", "low", "medium", "high"] } },
  },
} as const satisfies Record<string, CommandSpec>;
