import * as z from "zod";
import { codes, type ErrorCode } from "./codes.ts";
import { once } from "./once.ts";

export { codes, type ErrorCode };

/** Why pi cannot be started. */
export const UNAVAILABLE_REASONS = [
  "not_found",
  "not_executable",
  "node_too_old",
  "exited",
  "exited_before_ready",
  "timeout",
  "cwd_missing",
  "session_missing",
  "session_elsewhere",
  "untrusted",
  "no_model",
] as const;

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

export interface ErrorSpec {
  readonly code: ErrorCode;
  /** When it happens. */
  readonly summary: string;
  /** The error's `data`; its `kind` is the key of this row. */
  readonly data?: () => z.ZodObject;
  readonly example?: unknown;
}

/** Every error of this protocol. */
export const errors = {
  invalid_params: {
    code: codes.InvalidParams,
    summary: "The parameters are wrong. The message names the key and says what was expected.",
    data: once(() =>
      z.object({
        kind: z.literal("invalid_params"),
        issues: z.array(
          z.object({
            path: z
              .array(z.union([z.string(), z.number()]))
              .describe("The keys that lead to the value; `[]` is the params."),
            message: z.string(),
          }),
        ),
      }),
    ),
    example: {
      kind: "invalid_params",
      issues: [
        { path: ["streamingBehavior"], message: 'streamingBehavior must be one of "steer", "followUp", got "now"' },
      ],
    },
  },
  too_large: {
    code: codes.InvalidParams,
    summary: "The command is longer than pi can read in reasonable time. It was not sent.",
    data: once(() =>
      z.object({
        kind: z.literal("too_large"),
        bytes: z.number().describe("The length of the line that pi would have been sent."),
        limit: z.number().describe("The option `maxCommandBytes`."),
      }),
    ),
    example: { kind: "too_large", bytes: 11534336, limit: 8388608 },
  },
  lost: {
    code: codes.RequestFailed,
    summary: "pi answers what was sent after the command, but never the command itself. It may have been carried out.",
    data: once(() =>
      z.object({ kind: z.literal("lost"), command: z.string().describe("The command that pi did not answer.") }),
    ),
    example: { kind: "lost", command: "get_state" },
  },
  method_not_found: {
    code: codes.MethodNotFound,
    summary: "There is no such method, or pi does not know the command. The message has a hint for a near miss.",
  },
  rejected: {
    code: codes.RequestFailed,
    summary: "pi refused the command. The message is pi's own.",
    data: once(() =>
      z.object({
        kind: z.literal("rejected"),
        command: z.string().describe("The command that pi refused."),
        reason: z.literal("no_model").exactOptional().describe("Where the cause is known."),
        hint: z.string().exactOptional().describe("What to do about it."),
      }),
    ),
    example: { kind: "rejected", command: "set_model" },
  },
  unavailable: {
    code: codes.RequestFailed,
    summary: "pi cannot be started.",
    data: once(() =>
      z.object({
        kind: z.literal("unavailable"),
        reason: z.enum(UNAVAILABLE_REASONS),
        hint: z.string().describe("What to do about it."),
        command: z.array(z.string()).describe("The words that were run."),
        path: z.string().exactOptional().describe("The `PATH` that was searched."),
        exitCode: z.number().exactOptional(),
        signal: z.string().exactOptional(),
        stderr: z.string().exactOptional().describe("The last lines that pi wrote."),
      }),
    ),
    example: {
      kind: "unavailable",
      reason: "not_found",
      hint: "Install pi, or name it in the option `command`.",
      command: ["pi", "--mode", "rpc"],
      path: "/usr/local/bin:/usr/bin:/bin",
    },
  },
  unsupported: {
    code: codes.RequestFailed,
    summary: "The bridge cannot do it with this pi: its files are not on this machine.",
    data: once(() =>
      z.object({
        kind: z.literal("unsupported"),
        method: z.string().describe("What was asked for."),
        hint: z.string().describe("What to do about it."),
      }),
    ),
    example: {
      kind: "unsupported",
      method: "bridge/list_sessions",
      hint: "Open a session by its path on that machine, with pi/switch_session.",
    },
  },
  exited: {
    code: codes.RequestFailed,
    summary: "pi exited while the request was open. No text that the user typed is lost.",
    data: once(() =>
      z.object({
        kind: z.literal("exited"),
        exitCode: z.number().nullable(),
        signal: z.string().nullable(),
        stderr: z.string().describe("The last lines that pi wrote."),
        prompt: z.string().exactOptional().describe("The text of this very request, when it carried one."),
        queue: z
          .object({ steering: z.array(z.string()), followUp: z.array(z.string()) })
          .exactOptional()
          .describe("The messages that were waiting in pi's queue."),
      }),
    ),
    example: {
      kind: "exited",
      exitCode: null,
      signal: "SIGKILL",
      stderr: "",
      prompt: "Review this repository.",
      queue: { steering: [], followUp: ["Then update the changelog."] },
    },
  },
  cancelled: {
    code: codes.RequestCancelled,
    summary:
      "The request was cancelled, or was waiting when an abort overtook it. A waiting request was never sent to pi.",
  },
  not_initialized: { code: codes.ServerNotInitialized, summary: "The request came before `initialize`." },
  invalid_request: {
    code: codes.InvalidRequest,
    summary: "The message is no JSON-RPC request, or came after `shutdown`.",
  },
  parse_error: { code: codes.ParseError, summary: "The message is not JSON." },
  internal: { code: codes.InternalError, summary: "The bridge itself failed. Please report it." },
} as const satisfies Record<string, ErrorSpec>;

/** The errors that carry `data`, by its `kind`. */
export type ErrorKind = {
  [K in keyof typeof errors]: (typeof errors)[K] extends { data: () => z.ZodObject } ? K : never;
}[keyof typeof errors];

export type ErrorData<K extends ErrorKind = ErrorKind> = {
  [N in K]: z.infer<ReturnType<(typeof errors)[N]["data"]>>;
}[K];
