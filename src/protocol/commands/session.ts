import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { sessionEntry, sessionTreeNode } from "../shapes/entry.ts";
import { exampleEntry, exampleStats } from "../shapes/examples.ts";
import { sessionStats } from "../shapes/stats.ts";
import { noParams, noResult } from "./params.ts";
import { replaced } from "./prompting.ts";

export const session = {
  get_session_stats: {
    summary: "Get the session's token counts, cost and use of the context window.",
    params: noParams,
    result: sessionStats,
    immediate: true,
    example: { params: {}, result: exampleStats },
  },
  export_html: {
    summary: "Write the session to an HTML file.",
    notes: "The path is one of the machine that pi runs on.",
    params: once(() =>
      z.strictObject({
        outputPath: z.string().exactOptional().describe("The file to write. pi chooses a name when it is absent."),
      }),
    ),
    result: once(() => z.object({ path: z.string().describe("The file that was written.") })),
    example: { params: { outputPath: "/tmp/session.html" }, result: { path: "/tmp/session.html" } },
  },
  switch_session: {
    summary: "Load another session file.",
    notes: "pi succeeds even if the file does not exist: the session then starts empty.",
    params: once(() => z.strictObject({ sessionPath: z.string().describe("The session file, as in `sessionFile`.") })),
    result: replaced,
    order: "alone",
    closesDialogs: "session_replaced",
    changesState: true,
    example: {
      params: { sessionPath: "/home/ada/.pi/agent/sessions/--home-ada-shop--/2026-01-30T16-02-11-030Z_0199ec95.jsonl" },
      result: { cancelled: false },
    },
  },
  fork: {
    summary: "Start a new session from the point before an earlier user message.",
    notes: "Give `text` back to the user for editing. It is absent when an extension refused the fork.",
    params: once(() =>
      z.strictObject({ entryId: z.string().describe("A user message, as listed by `pi/get_fork_messages`.") }),
    ),
    result: once(() =>
      z.object({
        text: z.string().exactOptional().describe("The text of the message that was forked from."),
        cancelled: z.boolean().describe("`true` when an extension refused; the session is then unchanged."),
      }),
    ),
    order: "alone",
    closesDialogs: "session_replaced",
    changesState: true,
    example: { params: { entryId: "a1b2c3d4" }, result: { text: "Review this repository.", cancelled: false } },
  },
  clone: {
    summary: "Copy the current branch into a new session and go on there.",
    params: noParams,
    result: replaced,
    order: "alone",
    closesDialogs: "session_replaced",
    changesState: true,
    example: { params: {}, result: { cancelled: false } },
  },
  get_fork_messages: {
    summary: "List the user messages that `pi/fork` can start from.",
    params: noParams,
    result: once(() => z.object({ messages: z.array(z.object({ entryId: z.string(), text: z.string() })) })),
    immediate: true,
    example: { params: {}, result: { messages: [{ entryId: "a1b2c3d4", text: "Review this repository." }] } },
  },
  get_entries: {
    summary: "Get the session's entries in the order in which they were appended.",
    notes:
      "Unlike `pi/get_messages` this has everything: what a compaction replaced and abandoned branches. " +
      "Give the last entry id that you have seen as `since` to get only what is new, also after a restart.",
    params: once(() =>
      z.strictObject({ since: z.string().exactOptional().describe("Only entries after this entry id.") }),
    ),
    result: once(() =>
      z.object({
        entries: z.array(sessionEntry()),
        leafId: z
          .string()
          .nullable()
          .describe("The entry at the end of the active branch; `null` in an empty session."),
      }),
    ),
    immediate: true,
    example: { params: { since: "9f8e7d6c" }, result: { entries: [exampleEntry], leafId: "a1b2c3d4" } },
  },
  get_tree: {
    summary: "Get the session's entries as a tree.",
    notes:
      "The tree nests one level for each entry of a branch. JSON readers with a depth limit (Neovim's stops at 1000) " +
      "cannot read that of a long session; `pi/get_entries` is flat and has the same entries.",
    params: noParams,
    result: once(() =>
      z.object({
        tree: z.array(sessionTreeNode()).describe("The roots. Entries whose parent is missing are roots too."),
        leafId: z
          .string()
          .nullable()
          .describe("The entry at the end of the active branch; `null` in an empty session."),
      }),
    ),
    immediate: true,
    example: { params: {}, result: { tree: [{ entry: exampleEntry, children: [] }], leafId: "a1b2c3d4" } },
  },
  get_last_assistant_text: {
    summary: "Get the text of the agent's last answer.",
    params: noParams,
    result: once(() =>
      z.object({ text: z.string().nullable().exactOptional().describe("`null` or absent when there is none yet.") }),
    ),
    immediate: true,
    example: { params: {}, result: { text: "The checkout has two race conditions." } },
  },
  set_session_name: {
    summary: "Name the session.",
    notes: "pi refuses an empty name. The name is `sessionName` in `pi/get_state`.",
    params: once(() => z.strictObject({ name: z.string().describe("The name that session lists show.") })),
    result: noResult,
    changesState: true,
    immediate: true,
    example: { params: { name: "checkout rewrite" }, result: null },
  },
} as const satisfies Record<string, CommandSpec>;
