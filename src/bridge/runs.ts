import { cancelledError, type Call as EditorCall, type EditorConnection } from "../editor/connection.ts";
import { RawJson } from "../editor/raw.ts";
import type { PiError } from "../pi/error.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import type { BridgeParams } from "../protocol/bridge.ts";
import { Run } from "./run.ts";

interface Active {
  run: Run;
  /** pi has taken the prompt: what comes from now on belongs to the run. */
  accepted: boolean;
  end(outcome: Buffer | PiError): void;
}

/** `bridge/run`: one request from the prompt to the settled run. Only `agent_settled` ends it; retries and compactions do not. */
export class Runs {
  private readonly pi: Supervisor;
  private readonly editor: EditorConnection;
  private readonly active = new Set<Active>();

  constructor(pi: Supervisor, editor: EditorConnection) {
    this.pi = pi;
    this.editor = editor;
  }

  record(type: string, line: Buffer): void {
    for (const active of this.active) {
      if (!active.accepted) continue;
      active.run.record(type, line);
      if (type === "agent_settled") active.end(active.run.result());
    }
  }

  /** The run has ended though pi did not say so: it is idle after all, or it is gone (`error`). */
  ended(error: PiError | undefined): void {
    for (const active of this.active) if (active.accepted) active.end(error ?? active.run.result());
  }

  async run(params: BridgeParams<"bridge/run">, { token }: EditorCall): Promise<RawJson> {
    if (token.isCancellationRequested) throw cancelledError();
    const { workDoneToken, partialResultToken, ...prompt } = params;
    const call = this.pi.call("prompt", prompt);
    const run = new Run(this.editor, { workDone: workDoneToken, partialResult: partialResultToken });
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    // pi may end before anybody waits for this: while it is being asked whether the prompt has started a run.
    promise.catch(() => {});
    const active: Active = {
      run,
      accepted: false,
      end: (outcome) => (Buffer.isBuffer(outcome) ? resolve(outcome) : reject(outcome)),
    };
    this.active.add(active);
    const listener = token.onCancellationRequested(() => {
      // Once pi may have read it, the run is stopped and then tells how far it came.
      if (!this.pi.withdraw(call))
        call.answer.then(
          () => this.pi.abort(),
          () => {},
        );
    });
    try {
      const data = await call.answer;
      active.accepted = true;
      const disposition = data === undefined ? undefined : JSON.parse(data.toString("utf8"))?.disposition;
      if (disposition === "handled" || (disposition === undefined && !(await this.starts(active))))
        return new RawJson(run.result({ stopReason: "handled" }));
      return new RawJson(await promise);
    } finally {
      listener.dispose();
      this.active.delete(active);
      run.end();
    }
  }

  /** An old pi does not say whether the prompt starts a run. It does so within two answers, or not at all. */
  private async starts({ run }: Active): Promise<boolean> {
    return run.hasStarted || (await this.pi.isRunning()) || (await this.pi.isRunning()) || run.hasStarted;
  }
}
