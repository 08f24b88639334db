import { nearest } from "../bridge/nearest.ts";
import { byName } from "../bridge/params.ts";
import { checked } from "../bridge/validate.ts";
import { type Call, responseError } from "../editor/connection.ts";
import type { RawJson } from "../editor/raw.ts";
import { type BridgeParams, type BridgeRequestName, bridgeMethods } from "../protocol/bridge.ts";
import { codes } from "../protocol/errors.ts";
import type { BridgeState } from "../protocol/state.ts";
import type { Feature } from "./feature.ts";

/** What the bridge answers itself: `bridge/*` and `rpc.discover`. */
export function bridgeMethodsFeature(
  version: string,
  pi: {
    state(): BridgeState;
    restart(): Promise<void>;
    run(params: BridgeParams<"bridge/run">, call: Call): Promise<RawJson>;
    fetch(id: string): Promise<unknown>;
    withImages(method: string, params: unknown): unknown;
  },
): Feature {
  const check = <N extends BridgeRequestName>(method: N, params: unknown): BridgeParams<N> => {
    return checked(bridgeMethods.requests[method].params(), params, method) as BridgeParams<N>;
  };
  return {
    requests: {
      "bridge/state": (params) => {
        check("bridge/state", byName(params));
        return pi.state();
      },
      "bridge/restart": async (params) => {
        check("bridge/restart", byName(params));
        await pi.restart();
        return pi.state();
      },
      "bridge/run": (params, call) => pi.run(check("bridge/run", pi.withImages("bridge/run", byName(params))), call),
      "bridge/fetch": (params) => pi.fetch(check("bridge/fetch", byName(params)).id),
      "rpc.discover": async () => {
        // Only a tool asks for this; the schemas of all results are built here.
        const { openrpcDocument } = await import("../protocol/openrpc.ts");
        return openrpcDocument(version);
      },
    },
  };
}

/** KNOWN: the methods that there are. */
export function methodNotFound(method: string, known: Iterable<string>) {
  const close = nearest(method, [...known]);
  const hint = close === undefined ? "" : ` Did you mean ${close}?`;
  return responseError(codes.MethodNotFound, `There is no method ${JSON.stringify(method.slice(0, 80))}.${hint}`);
}
