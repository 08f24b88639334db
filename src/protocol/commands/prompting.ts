import * as z from "zod";
import type { CommandSpec } from "../commands.ts";
import { once } from "../once.ts";
import { images, noParams, noResult, promptParams } from "./params.ts";

const queued = once(() =>
  z
    .object({
      disposition: z
        .enum(["handled", "queued"])
        .describe("`handled`: an input handler consumed the message. `queued`: it waits in pi's queue."),
    })
    .nullable(),
);

/** `new_session`, `switch_session` and `clone` say nothing but this. */
export const replaced = once(() =>
  z.object({ cancelled: z.boolean().describe("`true` when an extension refused; the session is then unchanged.") }),
);

export const prompting = {
  prompt: {
    summary: "Send a message of the user to the agent.",
    notes:
      "Answered as soon as the message is accepted; the run itself shows in events and ends with `agent_settled`. " +
      "While the agent runs, `streamingBehavior` is required. A message that starts with `/` runs an extension command, " +
      "a skill or a prompt template; an extension command is answered only when it ends, its dialogs included. " +
      "`disposition` is `handled` when no run starts for this message: then do not wait for `agent_settled`. " +
      "The result is `null` on pi 0.84.",
    params: promptParams,
    result: once(() =>
      z
        .object({
          disposition: z
            .enum(["handled", "queued", "started"])
            .describe(
              "`started`: a run starts. `queued`: delivered during the present run. `handled`: an extension consumed it.",
            ),
        })
        .nullable(),
    ),
    order: "in_turn",
    changesState: true,
    needsModel: true,
    example: { params: { message: "Review this repository." }, result: { disposition: "started" } },
  },
  steer: {
    summary: "Queue a message that the running agent gets after the current turn's tool calls.",
    notes: "Skills and prompt templates are expanded, extension commands are refused. The result is `null` on pi 0.84.",
    params: once(() => z.strictObject({ message: z.string().describe("The text of the message."), images: images() })),
    result: queued,
    needsModel: true,
    example: { params: { message: "Leave the tests alone." }, result: { disposition: "queued" } },
  },
  follow_up: {
    summary: "Queue a message that the agent gets when it would otherwise stop.",
    notes: "Skills and prompt templates are expanded, extension commands are refused. The result is `null` on pi 0.84.",
    params: once(() => z.strictObject({ message: z.string().describe("The text of the message."), images: images() })),
    result: queued,
    needsModel: true,
    example: { params: { message: "Then update the changelog." }, result: { disposition: "queued" } },
  },
  abort: {
    summary: "Stop the agent, and answer when it is idle.",
    notes:
      "Queued messages stay in pi's queue and are delivered next. To stop for good, send `pi/clear_queue` first and " +
      "give its texts back to the user.",
    params: noParams,
    result: noResult,
    order: "overtakes",
    drops: ["prompt", "steer", "follow_up", "compact"],
    closesDialogs: "abort",
    example: { params: {}, result: null },
  },
  clear_queue: {
    summary: "Take all queued messages out of pi's queue and return their texts.",
    notes: "Unknown to pi 0.84, where it is answered with MethodNotFound.",
    params: noParams,
    result: once(() =>
      z.object({
        steering: z.array(z.string()).describe("Texts of the steering messages."),
        followUp: z.array(z.string()).describe("Texts of the follow-up messages."),
      }),
    ),
    immediate: true,
    example: { params: {}, result: { steering: ["Leave the tests alone."], followUp: [] } },
  },
  new_session: {
    summary: "Start a fresh session.",
    params: once(() =>
      z.strictObject({
        parentSession: z.string().exactOptional().describe("The session file that the new session descends from."),
      }),
    ),
    result: replaced,
    order: "alone",
    closesDialogs: "session_replaced",
    changesState: true,
    example: { params: {}, result: { cancelled: false } },
  },
} as const satisfies Record<string, CommandSpec>;
