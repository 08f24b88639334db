import { type BridgeRequestName, type BridgeRequestSpec, bridgeMethods } from "../protocol/bridge.ts";
import { commandSpec } from "../protocol/commands.ts";

/**
 * Keeps the order of requests where the bridge itself does in several steps what is one step for the editor: while such a
 * request runs, what came after it and is for the session waits. The commands of pi keep their order by themselves.
 */
export class Gate {
  /** Resolves when the last of the requests that run alone has been answered. Undefined while there is none. */
  private closed: Promise<void> | undefined;

  /** Calls DISPATCH when it is the turn of METHOD, which is before this returns if nothing is to be waited for. */
  pass(method: string, dispatch: () => unknown): unknown {
    const order = orderOf(method);
    if (order === "alone") return this.close(dispatch);
    return order === "queued" && this.closed ? this.closed.then(dispatch) : dispatch();
  }

  private close(dispatch: () => unknown): Promise<unknown> {
    const answer = (this.closed ?? Promise.resolve()).then(dispatch);
    const closed = answer.then(
      () => {},
      () => {},
    );
    this.closed = closed;
    void closed.then(() => {
      if (this.closed === closed) this.closed = undefined;
    });
    return answer;
  }
}

function orderOf(method: string): BridgeRequestSpec["order"] {
  if (method.startsWith("pi/"))
    return commandSpec(method.slice("pi/".length))?.order === "overtakes" ? undefined : "queued";
  if (!Object.hasOwn(bridgeMethods.requests, method)) return undefined;
  const spec: BridgeRequestSpec = bridgeMethods.requests[method as BridgeRequestName];
  return spec.order;
}
