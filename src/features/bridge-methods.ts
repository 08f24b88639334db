import { byName } from "../bridge/params.ts";
import { validate } from "../bridge/validate.ts";
import { responseError } from "../editor/connection.ts";
import { bridgeMethods } from "../protocol/bridge.ts";
import { codes } from "../protocol/errors.ts";
import type { BridgeState } from "../protocol/state.ts";
import type { Feature } from "./feature.ts";

/** What the bridge answers itself: `bridge/*` and `rpc.discover`. */
export function bridgeMethodsFeature(version: string, pi: { state(): BridgeState; restart(): Promise<void> }): Feature {
  const noParams = (method: keyof typeof bridgeMethods.requests, params: unknown) => {
    const result = validate(bridgeMethods.requests[method].params(), byName(params), method);
    if (!result.ok) throw result.error;
  };
  return {
    requests: {
      "bridge/state": (params) => {
        noParams("bridge/state", params);
        return pi.state();
      },
      "bridge/restart": async (params) => {
        noParams("bridge/restart", params);
        await pi.restart();
        return pi.state();
      },
      "rpc.discover": async () => {
        // Only a tool asks for this; the schemas of all results are built here.
        const { openrpcDocument } = await import("../protocol/openrpc.ts");
        return openrpcDocument(version);
      },
    },
  };
}

export function methodNotFound(method: string) {
  return responseError(codes.MethodNotFound, `There is no method ${JSON.stringify(method.slice(0, 80))}.`);
}
