import * as z from "zod";
import type { EventSpec } from "../events.ts";
import { once } from "../once.ts";

export const rpcEvents = {
  bash_execution_update: {
    summary: "A piece of the output of a command that `pi/bash` runs.",
    notes: "All output comes this way, also what the result cuts.",
    record: once(() =>
      z.object({
        type: z.literal("bash_execution_update"),
        id: z
          .union([z.string(), z.number()])
          .exactOptional()
          .describe("The id of the editor's `pi/bash` request: the only change that the bridge makes to a record."),
        delta: z.string(),
      }),
    ),
    example: { type: "bash_execution_update", id: 7, delta: "total 48\n" },
  },
  extension_error: {
    summary: "An extension failed.",
    record: once(() =>
      z.object({
        type: z.literal("extension_error"),
        extensionPath: z.string(),
        event: z.string().describe("What the extension was handling."),
        error: z.string(),
      }),
    ),
    example: {
      type: "extension_error",
      extensionPath: "/home/ada/.pi/agent/extensions/reviewer.ts",
      event: "tool_call",
      error: "Cannot read properties of undefined (reading 'path')",
    },
  },
} as const satisfies Record<string, EventSpec>;
