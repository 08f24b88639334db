import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { noResult } from "./params.ts";

const mode = once(() =>
  z.strictObject({
    mode: z
      .enum(["all", "one-at-a-time"])
      .describe("Deliver all queued messages at once, or the oldest one each time."),
  }),
);

export const queueModes = {
  set_steering_mode: {
    summary: "Set how queued steering messages are delivered after a turn.",
    notes: "pi stores the mode in its settings.",
    params: mode,
    result: noResult,
    immediate: true,
    example: { params: { mode: "one-at-a-time" }, result: null },
  },
  set_follow_up_mode: {
    summary: "Set how queued follow-up messages are delivered when the agent would stop.",
    notes: "pi stores the mode in its settings.",
    params: mode,
    result: noResult,
    immediate: true,
    example: { params: { mode: "all" }, result: null },
  },
} as const satisfies Record<string, CommandSpec>;
