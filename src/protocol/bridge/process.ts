import * as z from "zod";
import type { BridgeRequestSpec } from "../bridge.ts";
import { noParams } from "../commands/params.ts";
import { once } from "../once.ts";
import { bridgeState } from "../state.ts";
import { exampleState } from "./examples.ts";

/** The process, and the protocol itself. */
export const processRequests = {
  "bridge/state": {
    summary: "Get the state of the pi process and of the run.",
    notes: "Answered at once, also while pi does not run; pi is not started for it.",
    params: noParams,
    result: bridgeState,
    example: { params: {}, result: exampleState },
  },
  "bridge/restart": {
    summary: "End pi, if it runs, and start it again on the same session.",
    notes:
      "Answered when pi is ready, with the new state. What is open fails with `exited`. " +
      "It also starts a pi that was given up after too many restarts.",
    params: noParams,
    result: bridgeState,
    cancel: { does: "nothing: pi is being ended already", answer: "its own answer" },
    example: { params: {}, result: { ...exampleState, restarts: 1 } },
  },
  "rpc.discover": {
    summary: "Get this protocol as an OpenRPC document.",
    notes: "Answered also before `initialize`.",
    params: noParams,
    result: once(() => z.looseObject({ openrpc: z.string(), info: z.looseObject({}), methods: z.array(z.unknown()) })),
    example: {
      params: {},
      result: { openrpc: "1.3.2", info: { title: "pi-language-server", version: "0.1.0" }, methods: [] },
    },
  },
} as const satisfies Record<string, BridgeRequestSpec>;
