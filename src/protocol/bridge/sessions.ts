import * as z from "zod";
import type { BridgeRequestSpec } from "../bridge.ts";
import { once } from "../once.ts";
import { REMOTE_RUNNERS } from "../remote-runners.ts";
import { bridgeState } from "../state.ts";
import { exampleState } from "./examples.ts";
import { limit } from "./paging.ts";

const folder = "/home/ada/.pi/agent/sessions/--home-ada-shop--";

const session = once(() =>
  z
    .object({
      id: z.string(),
      file: z.string().describe("The session file."),
      name: z.string().exactOptional().describe("The name that a person or an extension gave it."),
      cwd: z.string().describe("The working directory it belongs to; empty in a session of an old pi."),
      created: z.string().describe("ISO 8601, as `modified`."),
      modified: z.string().describe("When its file was last written."),
      messageCount: z
        .number()
        .exactOptional()
        .describe("Messages of all roles and branches. Absent while the file is not read."),
      firstMessage: z
        .string()
        .describe("What the person said first: one line, cut at 200 characters; empty if that was nothing."),
      lastMessage: z
        .string()
        .exactOptional()
        .describe("What the person or the agent said last, as `firstMessage`. Absent while the file is not read."),
      parent: z.string().exactOptional().describe("The session file that it was forked from."),
      current: z.boolean().describe("It is the one that pi has open."),
    })
    .meta({ id: "Session", description: "A stored session of pi." }),
);

export const LIST_LIMIT = 50;

/** Stored sessions. */
export const sessionRequests = {
  "bridge/list_sessions": {
    summary: "List pi's stored sessions, the one that was written last first.",
    notes:
      "Without `cwd` and `all`: the sessions of pi's working directory. They are looked for where pi keeps them: in the " +
      "folder that `--session-dir`, the environment variable `PI_CODING_AGENT_SESSION_DIR` or pi's setting `sessionDir` " +
      "names, else in pi's own. pi is not started for it, and a session without a message has no file yet. " +
      "Counts, last messages and the search come from an index that is built in the background and kept in the cache " +
      "folder; `indexed` says whether it is complete. Until then a search may find less, and long sessions come without " +
      "their counts. Each call looks at the folder anew: a session that is written to between two pages moves to the top " +
      "and is not repeated. " +
      "When pi runs elsewhere, its sessions are not here, and the error is `unsupported`. pi is taken to run elsewhere with " +
      "the option `remoteShell`; when pi names a session file in a folder that does not exist here; and when a word of its " +
      `command is one of these programs: ${REMOTE_RUNNERS.map((name) => `\`${name}\``).join(", ")}. Every other command, such ` +
      "as `node cli.js` or `npx pi`, is taken for a local one.",
    params: once(() =>
      z.strictObject({
        cwd: z.string().exactOptional().describe("The sessions of this folder. Relative to pi's working directory."),
        all: z.boolean().exactOptional().describe("The sessions of all folders."),
        query: z
          .string()
          .exactOptional()
          .describe("Words that all must be in the name or the messages, in any case and also as parts of words."),
        limit: limit(1000, LIST_LIMIT, "sessions"),
        cursor: z.string().exactOptional().describe("The `cursor` of the page before. The other parameters as there."),
      }),
    ),
    result: once(() =>
      z.object({
        sessions: z.array(session()),
        cursor: z.string().exactOptional().describe("For the next page; absent when this is the last one."),
        indexed: z.boolean().describe("Every file is read: search and counts are complete."),
        skipped: z.number().describe("Files that are known to be no sessions, or cannot be read. They are left out."),
      }),
    ),
    example: {
      params: { query: "checkout race", limit: 1 },
      result: {
        sessions: [
          {
            id: "0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10",
            file: `${folder}/2026-01-31T09-26-53-589Z_0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10.jsonl`,
            name: "checkout rewrite",
            cwd: "/home/ada/shop",
            created: "2026-01-31T09:26:53.589Z",
            modified: "2026-01-31T11:02:40.117Z",
            messageCount: 22,
            firstMessage: "Review this repository.",
            lastMessage: "The checkout has two race conditions.",
            current: true,
          },
        ],
        indexed: true,
        skipped: 0,
      },
    },
  },
  "bridge/resume": {
    summary: "Go on with a stored session.",
    notes:
      "Give `id` or `file`. The session is checked first: pi would begin an empty one for a file that does not exist. An id " +
      "may be shortened as long as it names one session; those of pi's working directory come first. A session of pi's " +
      "working directory is opened by `pi/switch_session`. For one of another folder pi is started again in that folder, and " +
      "stays there. A run that is on is aborted first, and what it has said stays in the session that it belongs to. " +
      "Answered with the state when pi is ready; when pi has the session open already, at once. " +
      "When an extension refuses the switch, the error is `rejected`; a restart asks no extension. When pi does not start in " +
      "the other folder, it goes on as before. When pi runs elsewhere (see `bridge/list_sessions`), the error is " +
      "`unsupported`.",
    params: once(() =>
      z
        .strictObject({
          id: z.string().min(1).exactOptional().describe("The session's id, or the beginning of it."),
          file: z.string().min(1).exactOptional().describe("The session file. Relative to pi's working directory."),
        })
        .refine(({ id, file }) => (id === undefined) !== (file === undefined), {
          error: "give either id or file",
        }),
    ),
    result: bridgeState,
    order: "alone",
    cancel: { does: "nothing, when pi is told already", answer: "its own answer; −32800 before that" },
    example: { params: { id: "0199f1c2" }, result: { ...exampleState, activity: "idle" } },
  },
} as const satisfies Record<string, BridgeRequestSpec>;
