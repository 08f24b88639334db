import * as z from "zod";
import { images, noParams } from "./commands/params.ts";
import { once } from "./once.ts";
import { imageContent, textContent } from "./shapes/content.ts";
import { exampleUsage } from "./shapes/examples.ts";
import { agentMessage } from "./shapes/message.ts";
import { usage } from "./shapes/usage.ts";
import { bridgeState } from "./state.ts";
import { PROTOCOL_VERSION } from "./versions.ts";

export { PROTOCOL_VERSION };

/** `capabilities.experimental.pi` in the result of `initialize`. */
export interface ServerCapability {
  version: typeof PROTOCOL_VERSION;
  /** The commands of pi that the server knows, without `pi/`. */
  commands: string[];
  /** The methods of the bridge itself. */
  methods: string[];
}

export interface BridgeRequestSpec {
  readonly summary: string;
  readonly notes?: string;
  readonly params: () => z.ZodObject;
  readonly result: () => z.ZodType;
  readonly example: { readonly params: unknown; readonly result: unknown };
}

export interface BridgeNotificationSpec {
  readonly summary: string;
  readonly notes?: string;
  readonly params: () => z.ZodType;
  readonly example: unknown;
}

const exampleState = {
  phase: "ready",
  activity: "running",
  pi: { version: "1.6.0", pid: 4242, command: ["pi", "--mode", "rpc"] },
  restarts: 0,
  session: { id: "0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10", name: "checkout rewrite", cwd: "/home/ada/shop" },
  model: { provider: "anthropic", id: "claude-sonnet-4-20250514" },
  thinkingLevel: "medium",
  queue: { steering: [], followUp: ["Then update the changelog."] },
  usage: { tokens: 60000, percent: 30, contextWindow: 200000, cost: 0.45 },
  dialogs: 0,
} as const;

const progressToken = once(() => z.union([z.string(), z.int()]).exactOptional());

/** What the bridge adds to pi. */
export const bridgeMethods = {
  requests: {
    "bridge/state": {
      summary: "Get the state of the pi process and of the run.",
      notes: "Answered at once, also while pi does not run; pi is not started for it.",
      params: noParams,
      result: bridgeState,
      example: { params: {}, result: exampleState },
    },
    "bridge/run": {
      summary: "Send a message and wait until the agent has done everything that follows from it.",
      notes:
        "The one call that a script needs. Answered when the run has settled: retries, compactions and queued messages " +
        "belong to it. Cancelling the request aborts the run, and the answer then tells how far it came. A message that " +
        'starts no run (an extension\'s command) is answered at once, with `stopReason: "handled"`. ' +
        "`workDoneToken` reports as `$/progress` what the agent is doing, `partialResultToken` streams the text as `{text}`. " +
        "While the agent runs already, `streamingBehavior` is required, and the answer covers the rest of that run.",
      params: once(() =>
        z.strictObject({
          message: z.string().describe("The text of the message."),
          images: images(),
          streamingBehavior: z
            .enum(["steer", "followUp"])
            .exactOptional()
            .describe("While the agent runs: `steer` delivers after the current turn, `followUp` when it would stop."),
          workDoneToken: progressToken().describe("For progress, as in LSP."),
          partialResultToken: progressToken().describe("For the text while it streams."),
        }),
      ),
      result: once(() =>
        z.object({
          text: z.string().describe("The text of the last answer."),
          stopReason: z
            .string()
            .describe(
              "Of the last answer: `stop`, `length`, `error`, `aborted`, …; `handled` when no run was started.",
            ),
          error: z.string().exactOptional().describe('What went wrong, with `stopReason: "error"`.'),
          aborted: z.boolean(),
          usage: usage().describe("Of all answers of the run together."),
          toolCalls: z.array(z.object({ id: z.string(), name: z.string(), isError: z.boolean() })),
          messages: z.array(agentMessage()).describe("Every message of the run, as pi wrote it."),
        }),
      ),
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
        '`{type: "reference", id, of: "text" | "image", bytes, mimeType?, preview?}`. The thing itself is in pi\'s session.',
      params: once(() => z.strictObject({ id: z.string().describe("The `id` of the reference.") })),
      result: once(() => z.union([textContent(), imageContent()])),
      example: { params: { id: "tool:0:call_1" }, result: { type: "text", text: "total 48\n…" } },
    },
    "bridge/restart": {
      summary: "End pi, if it runs, and start it again on the same session.",
      notes:
        "Answered when pi is ready, with the new state. What is open fails with `exited`. " +
        "It also starts a pi that was given up after too many restarts.",
      params: noParams,
      result: bridgeState,
      example: { params: {}, result: { ...exampleState, restarts: 1 } },
    },
    "rpc.discover": {
      summary: "Get this protocol as an OpenRPC document.",
      notes: "Answered also before `initialize`.",
      params: noParams,
      result: once(() =>
        z.looseObject({ openrpc: z.string(), info: z.looseObject({}), methods: z.array(z.unknown()) }),
      ),
      example: {
        params: {},
        result: { openrpc: "1.3.2", info: { title: "pi-language-server", version: "0.1.0" }, methods: [] },
      },
    },
  },
  notifications: {
    "bridge/state": {
      summary: "The state of the pi process or of the run changed.",
      notes: "At most some ten times a second; the latest state wins.",
      params: bridgeState,
      example: exampleState,
    },
    "bridge/dialog_closed": {
      summary: "A dialog closed without an answer of the editor: take it off the screen.",
      notes: "The dialog's request is cancelled with `$/cancelRequest` as well, for clients that see its id.",
      params: once(() =>
        z.object({
          id: z.string().describe("The `id` in the dialog's params."),
          reason: z
            .enum(["timeout", "abort", "session_replaced", "exited", "refused", "withdrawn", "shutdown"])
            .describe("Why."),
        }),
      ),
      example: { id: "7c9e6679-7425-40de-944b-e07fc1f90ae7", reason: "timeout" },
    },
  },
} as const satisfies {
  requests: Record<string, BridgeRequestSpec>;
  notifications: Record<string, BridgeNotificationSpec>;
};

export type BridgeRequestName = keyof typeof bridgeMethods.requests;
export type BridgeNotificationName = keyof typeof bridgeMethods.notifications;
export type BridgeParams<N extends BridgeRequestName> = z.infer<
  ReturnType<(typeof bridgeMethods.requests)[N]["params"]>
>;
export type BridgeResult<N extends BridgeRequestName> = z.infer<
  ReturnType<(typeof bridgeMethods.requests)[N]["result"]>
>;
export type BridgeNotificationParams<N extends BridgeNotificationName> = z.infer<
  ReturnType<(typeof bridgeMethods.notifications)[N]["params"]>
>;
export type DialogClosedReason = BridgeNotificationParams<"bridge/dialog_closed">["reason"];
