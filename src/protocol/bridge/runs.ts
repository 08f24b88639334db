import * as z from "zod";
import type { BridgeRequestSpec } from "../bridge.ts";
import { promptParams } from "../commands/params.ts";
import { once } from "../once.ts";
import { imageContent, textContent } from "../shapes/content.ts";
import { exampleUsage } from "../shapes/examples.ts";
import { agentMessage } from "../shapes/message.ts";
import { usage } from "../shapes/usage.ts";

const progressToken = once(() => z.union([z.string(), z.int()]).exactOptional());

/** What a run says, in one call. */
export const runRequests = {
  "bridge/run": {
    summary: "Send a message and wait until the agent has done everything that follows from it.",
    notes:
      "The one call that a script needs. Answered when the run has settled: retries, compactions and queued messages " +
      "belong to it. Cancelling the request aborts the run, and the answer then tells how far it came. A message that " +
      'starts no run (an extension\'s command) is answered at once, with `stopReason: "handled"`. ' +
      "`workDoneToken` reports as `$/progress` what the agent is doing, `partialResultToken` streams the text in pieces, each as " +
      "`{text}`. " +
      "While the agent runs already, `streamingBehavior` is required, and the answer covers the rest of that run.",
    params: once(() =>
      promptParams().extend({
        workDoneToken: progressToken().describe("For progress, as in LSP."),
        partialResultToken: progressToken().describe("For the text while it streams."),
      }),
    ),
    result: once(() =>
      z.object({
        text: z.string().describe("The text of the last answer."),
        stopReason: z
          .string()
          .describe("Of the last answer: `stop`, `length`, `error`, `aborted`, …; `handled` when no run was started."),
        error: z.string().exactOptional().describe('What went wrong, with `stopReason: "error"`.'),
        aborted: z.boolean(),
        usage: usage().describe("Of all answers of the run together."),
        toolCalls: z.array(z.object({ id: z.string(), name: z.string(), isError: z.boolean() })),
        messages: z.array(agentMessage()).describe("Every message of the run, as pi wrote it."),
      }),
    ),
    order: "queued",
    sends: "prompt",
    cancel: { does: "the run is aborted", answer: "its own answer, which tells how far the run came" },
    example: {
      params: { message: "How many tests are there?" },
      result: {
        text: "There are 42.",
        stopReason: "stop",
        aborted: false,
        usage: exampleUsage,
        toolCalls: [{ id: "call_1", name: "bash", isError: false }],
        messages: [{ role: "user", content: "How many tests are there?", timestamp: 1769851613589 }],
      },
    },
  },
  "bridge/fetch": {
    summary: "Get what a reference stands for.",
    notes:
      "With the opt-in `largePayloads`, a large text of a tool's result, and a large image, is a block of this form: " +
      '`{type: "reference", id, of: "text" | "image", bytes, mimeType?, preview?}`. The same stands for a large text in the ' +
      "result's `details` and `structuredContent`. The thing itself is in pi's session; `structuredContent` is not, and can " +
      "be fetched until the turn ends.",
    params: once(() => z.strictObject({ id: z.string().describe("The `id` of the reference.") })),
    result: once(() => z.union([textContent(), imageContent()])),
    order: "queued",
    example: { params: { id: "2048:tool:content/0:call_1" }, result: { type: "text", text: "total 48\n…" } },
  },
} as const satisfies Record<string, BridgeRequestSpec>;
