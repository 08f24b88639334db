import type * as z from "zod";
import { messageEvents } from "./events/messages.ts";
import { recoveryEvents } from "./events/recovery.ts";
import { rpcEvents } from "./events/rpc.ts";
import { runEvents } from "./events/runs.ts";
import { sessionEvents } from "./events/session.ts";
import { toolEvents } from "./events/tools.ts";

export interface EventSpec {
  /** One sentence for people. */
  readonly summary: string;
  /** What else a reader should know, and how versions of pi differ. */
  readonly notes?: string;
  /** The whole record, its `type` included. A newer pi may add fields. Documentation and types only: records are passed on as they are. */
  readonly record: () => z.ZodType;
  readonly example: unknown;
}

/** The table in the groups of pi's own documentation. */
export const eventGroups: Record<string, Record<string, EventSpec>> = {
  Runs: runEvents,
  Messages: messageEvents,
  Tools: toolEvents,
  "Queue and state": sessionEvents,
  "Compaction and retry": recoveryEvents,
  "Shell and extensions": rpcEvents,
};

type Events = typeof runEvents &
  typeof messageEvents &
  typeof toolEvents &
  typeof sessionEvents &
  typeof recoveryEvents &
  typeof rpcEvents;

export const events: Events = {
  ...runEvents,
  ...messageEvents,
  ...toolEvents,
  ...sessionEvents,
  ...recoveryEvents,
  ...rpcEvents,
};

export type EventName = keyof typeof events;
export type EventRecord<N extends EventName> = z.infer<ReturnType<(typeof events)[N]["record"]>>;
