import type { BridgeState } from "../protocol/state.ts";

type Activity = BridgeState["activity"];
type Queue = BridgeState["queue"];

/** What pi's `get_state` tells, as far as it is used here. */
interface PiState {
  model?: { provider?: unknown; id?: unknown } | null;
  thinkingLevel?: unknown;
  sessionId?: unknown;
  sessionFile?: unknown;
  sessionName?: unknown;
  isStreaming?: unknown;
  isCompacting?: unknown;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What is known of pi's run and session: folded from its records and its answers to `get_state`. */
export class Status {
  session: { id: string; file?: string; name?: string } | undefined;
  model: { provider: string; id: string } | undefined;
  thinkingLevel: string | undefined;
  queue: Queue = { steering: [], followUp: [] };
  private running = false;
  private within: "compacting" | "retrying" | undefined;

  get activity(): Activity {
    return this.within ?? (this.running ? "running" : "idle");
  }

  /** Whether a record of this type can change the status; all others need not be decoded. */
  static concerns(type: string): boolean {
    return Object.hasOwn(folds, type);
  }

  /** @returns true when pi should be asked for its state, because the record does not tell all of it. */
  fold(type: string, record: Record<string, unknown>): boolean {
    return folds[type]?.(this, record) ?? false;
  }

  apply(state: PiState): void {
    const id = text(state.sessionId);
    const file = text(state.sessionFile);
    const name = text(state.sessionName);
    this.session = id ? { id, ...(file && { file }), ...(name && { name }) } : undefined;
    const model = { provider: text(state.model?.provider), id: text(state.model?.id) };
    // Without a model pi reports a placeholder that is called "unknown".
    this.model =
      model.provider && model.id && model.provider !== "unknown"
        ? { provider: model.provider, id: model.id }
        : undefined;
    this.thinkingLevel = text(state.thinkingLevel);
    if (state.isStreaming === true) this.running = true;
    if (state.isCompacting === true) this.within ??= "compacting";
  }

  /** The process is gone. What it said of the session still holds: it is the one to go on with. */
  stopped(): void {
    this.running = false;
    this.within = undefined;
    this.queue = { steering: [], followUp: [] };
  }

  static readonly folds: Record<string, (status: Status, record: Record<string, unknown>) => boolean> = {
    agent_start: (status) => status.set(true, undefined),
    agent_settled: (status) => !status.set(false, undefined),
    compaction_start: (status) => status.set(status.running, "compacting"),
    compaction_end: (status) => status.set(status.running, undefined),
    auto_retry_start: (status) => status.set(status.running, "retrying"),
    auto_retry_end: (status) => status.set(status.running, undefined),
    queue_update: (status, { steering, followUp }) => {
      status.queue = { steering: texts(steering), followUp: texts(followUp) };
      return false;
    },
    session_info_changed: () => true,
    thinking_level_changed: () => true,
  };

  private set(running: boolean, within: "compacting" | "retrying" | undefined): false {
    this.running = running;
    this.within = within;
    return false;
  }
}

const { folds } = Status;

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
