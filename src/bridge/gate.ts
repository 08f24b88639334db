import { type Call, cancelledError } from "../editor/connection.ts";
import { type BridgeRequestName, type BridgeRequestSpec, bridgeMethods } from "../protocol/bridge.ts";
import { commandSpec } from "../protocol/commands.ts";

interface Waiting {
  /** The command of pi that it will be. */
  command: string | undefined;
  drop(by: string): void;
}

/**
 * Keeps the order of requests where the bridge itself does in several steps what is one step for the editor: while such a
 * request runs, what came after it and is for the session waits. The commands of pi keep their order by themselves, and
 * the rules are theirs: what waits can be cancelled, and `abort` passes and drops what it makes pointless.
 */
export class Gate {
  /** Resolves when the last of the requests that run alone has been answered. Undefined while there is none. */
  private closed: Promise<void> | undefined;
  private readonly waiting = new Set<Waiting>();

  /** Calls DISPATCH when it is the turn of METHOD, which is before this returns if nothing is to be waited for. */
  pass(method: string, { token }: Call, dispatch: () => unknown): unknown {
    const { command, order, drops = [] } = rulesOf(method);
    for (const entry of this.waiting) if (entry.command && drops.includes(entry.command)) entry.drop(command ?? method);
    if (order === undefined) return dispatch();
    const answer = this.closed ? this.wait(this.closed, method, command, token).then(dispatch) : undefined;
    if (order === "queued") return answer ?? dispatch();
    return this.close(answer ?? Promise.resolve().then(dispatch));
  }

  /** Resolves when the gate opens; rejects when the request is cancelled or dropped before. */
  private async wait(open: Promise<void>, method: string, command: string | undefined, token: Call["token"]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = {
      command,
      drop: (by: string) => reject(cancelledError(`${method} was not sent: ${by} came first.`)),
    };
    this.waiting.add(entry);
    const listener = token.onCancellationRequested(() => reject(cancelledError()));
    void open.then(resolve);
    try {
      await promise;
    } finally {
      listener.dispose();
      this.waiting.delete(entry);
    }
  }

  private close(answer: Promise<unknown>): Promise<unknown> {
    const before = this.closed;
    const closed = answer.then(
      () => {},
      // One that was cancelled while it waited itself opens nothing.
      () => before,
    );
    this.closed = closed;
    void closed.then(() => {
      if (this.closed === closed) this.closed = undefined;
    });
    return answer;
  }
}

interface Rules {
  command?: string | undefined;
  order?: BridgeRequestSpec["order"];
  drops?: readonly string[] | undefined;
}

function rulesOf(method: string): Rules {
  if (method.startsWith("pi/")) {
    const command = method.slice("pi/".length);
    const spec = commandSpec(command);
    return { command, order: spec?.order === "overtakes" ? undefined : "queued", drops: spec?.drops };
  }
  if (!Object.hasOwn(bridgeMethods.requests, method)) return {};
  const { order, sends }: BridgeRequestSpec = bridgeMethods.requests[method as BridgeRequestName];
  return { command: sends, order };
}
