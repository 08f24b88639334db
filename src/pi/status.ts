import type { BridgeState } from "../protocol/state.ts";
import type { PiError } from "./error.ts";

type Activity = BridgeState["activity"];
type Queue = BridgeState["queue"];
type Lost = NonNullable<BridgeState["lost"]>;

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

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What is known of pi's run and session: folded from its records and its answers to `get_state`. */
export class Status {
  session: { id: string; file?: string; name?: string } | undefined;
  model: { provider: string; id: string } | undefined;
  thinkingLevel: string | undefined;
  usage: BridgeState["usage"];
  queue: Queue = { steering: [], followUp: [] };
  /** What a person typed and an ended pi did not take, or had not come to yet. Kept until pi takes a text again. */
  lost: Lost | undefined;
  /** What is not as the person may think, though pi runs. */
  warnings: PiError[] = [];
  /** The prompts that pi has taken and has not put into the session yet. */
  private unsaved: string[] = [];
  private running = false;
  private within: "compacting" | "retrying" | undefined;

  get activity(): Activity {
    return this.within ?? (this.running ? "running" : "idle");
  }

  /** Whether a record of this type is folded; all others need not be decoded. */
  static concerns(type: string): boolean {
    return Object.hasOwn(Status.folds, type);
  }

  fold(type: string, record: Record<string, unknown>): void {
    Status.folds[type]?.(this, record);
  }

  /** What pi's `get_session_stats` tells. */
  applyStats(stats: {
    cost?: unknown;
    contextUsage?: { tokens?: unknown; percent?: unknown; contextWindow?: unknown };
  }): void {
    const { cost, contextUsage } = stats;
    this.usage = {
      tokens: number(contextUsage?.tokens) ?? null,
      percent: number(contextUsage?.percent) ?? null,
      contextWindow: number(contextUsage?.contextWindow) ?? 0,
      cost: number(cost) ?? 0,
    };
  }

  apply(state: PiState): void {
    const id = text(state.sessionId);
    const file = text(state.sessionFile);
    const name = text(state.sessionName);
    if (this.session && id !== undefined && id !== this.session.id) this.giveBackQueue([]);
    this.session = id ? { id, ...(file && { file }), ...(name && { name }) } : undefined;
    const model = { provider: text(state.model?.provider), id: text(state.model?.id) };
    // Without a model pi reports a placeholder that is called "unknown".
    this.model =
      model.provider && model.id && model.provider !== "unknown"
        ? { provider: model.provider, id: model.id }
        : undefined;
    if (this.model)
      this.warnings = this.warnings.filter(({ data }) => !("reason" in data && data.reason === "no_model"));
    this.thinkingLevel = text(state.thinkingLevel);
    if (state.isStreaming === true) this.running = true;
    if (state.isCompacting === true) this.within ??= "compacting";
  }

  /** The run has ended, whatever its last records were. */
  settle(): void {
    this.running = false;
    this.within = undefined;
  }

  /**
   * The process is gone. What it said of the session still holds: it is the one to go on with. What it had not taken
   * (`typed`, by command) or not come to (its queue) is kept, to be given back to the person.
   */
  lose(typed: readonly { command: string; text: string }[]): void {
    const unsaved = this.unsaved.map((text) => ({ command: "prompt", text }));
    this.giveBackQueue([...unsaved, ...typed]);
    this.unsaved = [];
    this.warnings = [];
    this.settle();
  }

  /** What was queued, and TYPED, reaches no model any more: pi has ended, or has left the session it was queued in. */
  private giveBackQueue(typed: readonly { command: string; text: string }[]): void {
    const of = (command: string) => typed.filter((entry) => entry.command === command).map(({ text }) => text);
    const { steering, followUp } = this.queue;
    const lost = {
      prompts: [...(this.lost?.prompts ?? []), ...of("prompt")],
      steering: [...(this.lost?.steering ?? []), ...steering, ...of("steer")],
      followUp: [...(this.lost?.followUp ?? []), ...followUp, ...of("follow_up")],
    };
    this.lost = Object.values(lost).some((texts) => texts.length > 0) ? lost : undefined;
    this.queue = { steering: [], followUp: [] };
  }

  /** pi has taken a text. A prompt that starts a run is in its memory only, until it is saved. */
  accept(command: string, text: string, data: { disposition?: unknown } | undefined): void {
    this.lost = undefined;
    // An old pi does not say what becomes of a prompt.
    const starts = data ? data.disposition === "started" : command === "prompt" && !text.startsWith("/");
    if (starts) this.unsaved.push(text);
  }

  get hasUnsaved(): boolean {
    return this.unsaved.length > 0;
  }

  /** What pi has taken so far is in the session's file. */
  saved(): void {
    this.unsaved = [];
  }

  /** After these, pi knows more than its records have told, and they need not be decoded for that. */
  static readonly asks: ReadonlySet<string> = new Set([
    "turn_end",
    "agent_settled",
    "compaction_end",
    "session_info_changed",
    "thinking_level_changed",
  ]);

  private static readonly folds: Record<string, (status: Status, record: Record<string, unknown>) => void> = {
    agent_start: (status) => status.set(true, undefined),
    agent_settled: (status) => status.settle(),
    compaction_start: (status) => status.set(status.running, "compacting"),
    compaction_end: (status) => status.set(status.running, undefined),
    auto_retry_start: (status) => status.set(status.running, "retrying"),
    auto_retry_end: (status) => status.set(status.running, undefined),
    queue_update: (status, { steering, followUp }) => {
      status.queue = { steering: texts(steering), followUp: texts(followUp) };
    },
  };

  private set(running: boolean, within: "compacting" | "retrying" | undefined): void {
    this.running = running;
    this.within = within;
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
