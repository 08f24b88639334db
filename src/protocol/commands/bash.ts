import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { noParams, noResult } from "./params.ts";

export const bash = {
  bash: {
    summary: "Run a shell command and put its output into the conversation.",
    notes:
      "The output streams as `pi/bash_execution_update`, whose `id` is the id of this request. " +
      "The result's `output` is cut when it is long; `fullOutputPath` then names a file on pi's machine. " +
      "pi can only stop all running commands together: cancelling one `pi/bash` request ends every one, " +
      "and each gives its own answer with `cancelled: true`. " +
      "The model sees the output with the next message.",
    params: once(() =>
      z.strictObject({
        command: z.string().describe("The command line."),
        excludeFromContext: z
          .boolean()
          .exactOptional()
          .describe("Keep the output in the session, but do not show it to the model."),
      }),
    ),
    result: once(() =>
      z.object({
        output: z.string().describe("stdout and stderr together, possibly cut."),
        exitCode: z.number().exactOptional().describe("Absent when the command was killed."),
        cancelled: z.boolean(),
        truncated: z.boolean().describe("`output` is not all of it."),
        fullOutputPath: z.string().exactOptional().describe("A file with the whole output, when it was cut."),
      }),
    ),
    cancel: { send: "abort_bash" },
    example: {
      params: { command: "git status --short" },
      result: { output: " M src/cart.ts\n", exitCode: 0, cancelled: false, truncated: false },
    },
  },
  abort_bash: {
    summary: "Stop every running `bash` command.",
    params: noParams,
    result: noResult,
    order: "overtakes",
    drops: ["bash"],
    immediate: true,
    example: { params: {}, result: null },
  },
} as const satisfies Record<string, CommandSpec>;
