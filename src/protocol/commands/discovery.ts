import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { noParams } from "./params.ts";

const slashCommand = once(() =>
  z
    .object({
      name: z.string().describe("Without the slash."),
      description: z.string().exactOptional(),
      source: z.enum(["extension", "prompt", "skill"]),
      sourceInfo: z
        .object({
          path: z.string().describe("The resource that defines the command."),
          source: z.string().describe("How pi found it, such as `local`, `auto` or `cli`."),
          scope: z.enum(["user", "project", "temporary"]),
          origin: z.enum(["package", "top-level"]),
          baseDir: z.string().exactOptional(),
          changelogPath: z.string().exactOptional(),
        })
        .describe("Where the command comes from."),
    })
    .meta({ id: "SlashCommand", description: "A command that runs when a prompt starts with `/` and its name." }),
);

export const discovery = {
  get_commands: {
    summary: "List the extension commands, prompt templates and skills that `/name` in a prompt runs.",
    notes: "The commands of pi's own terminal interface, such as `/settings`, are not among them.",
    params: noParams,
    result: once(() => z.object({ commands: z.array(slashCommand()) })),
    immediate: true,
    example: {
      params: {},
      result: {
        commands: [
          {
            name: "fix-tests",
            description: "Fix failing tests",
            source: "prompt",
            sourceInfo: {
              path: "/home/ada/shop/.pi/prompts/fix-tests.md",
              source: "local",
              scope: "project",
              origin: "top-level",
            },
          },
        ],
      },
    },
  },
} as const satisfies Record<string, CommandSpec>;
