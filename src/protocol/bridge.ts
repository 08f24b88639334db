import type * as z from "zod";
import { conversationRequests } from "./bridge/conversation.ts";
import { bridgeNotifications } from "./bridge/notifications.ts";
import { processRequests } from "./bridge/process.ts";
import { runRequests } from "./bridge/runs.ts";
import { sessionRequests } from "./bridge/sessions.ts";
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
  /** The order of the keys is the order of positional arguments. */
  readonly params: () => z.ZodObject;
  readonly result: () => z.ZodType;
  /**
   * `queued`: takes its place among the commands of pi, behind a request that runs `alone`. `alone`: what was sent after it
   * waits for its answer. Absent: answered at any time.
   */
  readonly order?: "queued" | "alone";
  /** The command of pi that it begins with. An abort that overtakes that command overtakes this. */
  readonly sends?: string;
  /** What `$/cancelRequest` does once it is at work, and with what it is answered. Absent: nothing, and −32800 at once. */
  readonly cancel?: { readonly does: string; readonly answer: string };
  readonly example: { readonly params: unknown; readonly result: unknown };
}

export interface BridgeNotificationSpec {
  readonly summary: string;
  readonly notes?: string;
  readonly params: () => z.ZodType;
  readonly example: unknown;
}

/** An intersection and not what a spread is inferred as: that repeats every schema, and fills the published types. */
type BridgeRequests = typeof processRequests &
  typeof runRequests &
  typeof sessionRequests &
  typeof conversationRequests;

const requests: BridgeRequests = { ...processRequests, ...runRequests, ...sessionRequests, ...conversationRequests };

/** What the bridge adds to pi. */
export const bridgeMethods = { requests, notifications: bridgeNotifications };

/** Whether METHOD is the bridge's, and there is nothing to undo when it is cancelled. */
export function leavesAtOnce(method: string): boolean {
  const table: Readonly<Record<string, BridgeRequestSpec>> = requests;
  return Object.hasOwn(table, method) && table[method]?.cancel === undefined;
}

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
