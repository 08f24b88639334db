import * as z from "zod";
import type { BridgeNotificationSpec } from "../bridge.ts";
import { once } from "../once.ts";
import { bridgeState } from "../state.ts";
import { exampleState } from "./examples.ts";

/** What the bridge tells unasked. */
export const bridgeNotifications = {
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
        reason: z.enum(["timeout", "abort", "session_replaced", "exited", "refused", "shutdown"]).describe("Why."),
      }),
    ),
    example: { id: "7c9e6679-7425-40de-944b-e07fc1f90ae7", reason: "timeout" },
  },
} as const satisfies Record<string, BridgeNotificationSpec>;
