import type { EditorConnection } from "../editor/connection.ts";
import type { PiError } from "../pi/error.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import type { BridgeState } from "../protocol/state.ts";
import type { OptIn } from "./opt-in.ts";

/** No status line needs more, and a burst of events must not become a burst of snapshots. */
const PAUSE_MS = 100;

/** `bridge/state`: one snapshot, sent when it has changed, at most ten times a second, the latest one last. */
export class StateNotifier {
  private readonly editor: EditorConnection;
  private readonly optIn: OptIn;
  private readonly take: () => BridgeState;
  private last = "";
  private timer: NodeJS.Timeout | undefined;
  private pending = false;

  constructor(editor: EditorConnection, optIn: OptIn, take: () => BridgeState) {
    this.editor = editor;
    this.optIn = optIn;
    this.take = take;
  }

  changed(): void {
    if (this.timer) this.pending = true;
    else this.send();
  }

  /** What has changed and was not told yet: before the end, for it says what was lost. */
  flush(): void {
    if (this.pending) this.send();
  }

  private send(): void {
    this.pending = false;
    clearTimeout(this.timer);
    if (!this.optIn.wants("bridge/state")) return;
    const state = this.take();
    const text = JSON.stringify(state);
    if (text === this.last) return;
    this.last = text;
    this.editor.notify("bridge/state", state);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.pending) this.send();
    }, PAUSE_MS);
    this.timer.unref();
  }
}

/** The snapshot of this moment. */
export function snapshot(pi: Supervisor, dialogs: number): BridgeState {
  const { state, status, running } = pi;
  const error = "error" in state && state.error ? describe(state.error) : undefined;
  const warnings = status.warnings.flatMap(({ message, data }) =>
    data.kind === "unavailable" ? [{ reason: data.reason, message, hint: data.hint }] : [],
  );
  return {
    phase: state.is,
    activity: status.activity,
    ...(running?.pid !== undefined && {
      pi: { ...(pi.version !== undefined && { version: pi.version }), pid: running.pid, command: running.words },
    }),
    restarts: pi.restarts,
    ...(error && { error }),
    ...(status.session && { session: { ...status.session, cwd: pi.settings.cwd } }),
    ...(status.model && { model: status.model }),
    ...(status.thinkingLevel !== undefined && { thinkingLevel: status.thinkingLevel }),
    queue: status.queue,
    ...(status.usage && { usage: status.usage }),
    ...(warnings.length > 0 && { warnings }),
    ...(status.lost && { lost: status.lost }),
    dialogs,
  };
}

function describe({ message, data }: PiError): BridgeState["error"] {
  if (data.kind === "unavailable") {
    const { kind, reason, hint, exitCode, signal, stderr } = data;
    return {
      kind,
      reason,
      message,
      hint,
      ...(exitCode !== undefined && { exitCode }),
      ...(signal !== undefined && { signal }),
      ...(stderr !== undefined && { stderr }),
    };
  }
  if (data.kind !== "exited") return undefined;
  return {
    kind: "exited",
    message,
    hint: "pi starts again on the same session: by itself, with the next request, or with bridge/restart.",
    ...(data.exitCode !== null && { exitCode: data.exitCode }),
    ...(data.signal !== null && { signal: data.signal }),
    ...(data.stderr !== "" && { stderr: data.stderr }),
  };
}
