import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { noParams, noResult } from "./params.ts";

export const retry = {
  set_auto_retry: {
    summary: "Turn automatic retry after transient errors on or off.",
    notes: "pi stores this in its settings.",
    params: once(() =>
      z.strictObject({
        enabled: z.boolean().describe("Retry when the provider is overloaded, limits the rate or fails."),
      }),
    ),
    result: noResult,
    immediate: true,
    example: { params: { enabled: false }, result: null },
  },
  abort_retry: {
    summary: "Stop waiting for a retry, and do not retry.",
    params: noParams,
    result: noResult,
    order: "overtakes",
    immediate: true,
    example: { params: {}, result: null },
  },
} as const satisfies Record<string, CommandSpec>;
