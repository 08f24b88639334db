import { type CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import type { EditorConnection } from "../editor/connection.ts";
import { RawJson } from "../editor/raw.ts";
import { parseRecord } from "../pi/record.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import type { DialogClosedReason } from "../protocol/bridge.ts";
import { type DialogName, dialogs } from "../protocol/ui.ts";
import type { OptIn } from "./opt-in.ts";

/** Another way to the person than `pi/ui/*`, for dialogs that the editor has not opted in to. */
export interface DialogRoute {
  /**
   * Shows the dialog, until TOKEN is cancelled: it is closed then.
   * @returns the answer in the form of `protocol/ui.ts`, pending until there is one; undefined when there is no way
   */
  show(
    dialog: { method: DialogName; record: Record<string, unknown> },
    token: CancellationToken,
  ): Promise<unknown> | undefined;
}

interface Open {
  id: string;
  /** Shown by a route: the editor knows nothing of `pi/ui/*`, and is told nothing in its terms. */
  isRouted: boolean;
  cancel: CancellationTokenSource;
  timer: NodeJS.Timeout | undefined;
}

/** pi clamps nothing here; Node turns a longer delay into 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The books of pi's open dialogs. pi blocks on each until it is answered and says nothing when it gives one up, so
 * every dialog leaves here exactly once: answered, or closed with a reason. What is no clear answer is a refusal.
 */
export class Dialogs {
  private readonly pi: Supervisor;
  private readonly editor: EditorConnection;
  private readonly optIn: OptIn;
  private readonly changed: () => void;
  private readonly log: (text: string) => void;
  private readonly route: DialogRoute | undefined;
  private readonly open = new Map<string, Open>();

  constructor(
    pi: Supervisor,
    editor: EditorConnection,
    optIn: OptIn,
    hooks: { changed(): void; log(text: string): void; route?: DialogRoute },
  ) {
    this.pi = pi;
    this.editor = editor;
    this.optIn = optIn;
    this.changed = hooks.changed;
    this.log = hooks.log;
    this.route = hooks.route;
  }

  get count(): number {
    return this.open.size;
  }

  ask(method: DialogName, line: Buffer): void {
    const record = parseRecord(line);
    if (!record || typeof record.id !== "string") return this.log(`pi opened a ${method} dialog without an id.`);
    const { id } = record;
    const cancel = new CancellationTokenSource();
    const isRouted = !this.optIn.canShow(method);
    const routed = isRouted ? this.route?.show({ method, record }, cancel.token) : undefined;
    if (isRouted && !routed) {
      this.log(`pi asked "${String(record.title)}" (${method}), which this editor cannot show: answered as cancelled.`);
      this.pi.answerDialog({ id, cancelled: true });
      return;
    }
    const entry: Open = { id, isRouted, cancel, timer: undefined };
    const { timeout } = record;
    if (typeof timeout === "number" && timeout > 0)
      entry.timer = setTimeout(() => this.close(entry, "timeout"), Math.min(timeout, MAX_TIMER_MS));
    this.open.set(id, entry);
    this.changed();
    const reply = routed ?? this.editor.request(`pi/ui/${method}`, new RawJson(line), cancel.token);
    void this.check(method, record, reply).then(
      (answer) => this.answered(entry, method, answer),
      (error: Error) => {
        if (this.open.get(id) !== entry) return;
        this.log(`The editor failed to show a ${method} dialog: ${error.message}`);
        this.settle(entry, { id, cancelled: true });
      },
    );
  }

  /** Closes all, unanswered: the editor takes them away, and pi, where it still waits, goes on. */
  closeAll(reason: DialogClosedReason): void {
    for (const entry of [...this.open.values()]) this.close(entry, reason);
  }

  /** @returns the answer that pi is to get; undefined for a refusal by something that is no answer. */
  private async check(method: DialogName, record: object, reply: Promise<unknown>) {
    const parsed = dialogs[method].answer().safeParse(await reply);
    if (!parsed.success) return undefined;
    if (parsed.data === null || "cancelled" in parsed.data) return { cancelled: true };
    const { options } = record as { options?: string[] };
    if (method === "select" && "value" in parsed.data && !options?.includes(parsed.data.value)) return undefined;
    return parsed.data;
  }

  private answered(entry: Open, method: DialogName, answer: object | undefined): void {
    if (this.open.get(entry.id) !== entry) return;
    if (answer) return this.settle(entry, { id: entry.id, ...answer });
    this.log(`The editor's answer to a ${method} dialog is not one that it allows: taken as cancelled.`);
    this.settle(entry, { id: entry.id, cancelled: true });
    if (!entry.isRouted)
      this.editor.notify("bridge/dialog_closed", { id: entry.id, reason: "refused" satisfies DialogClosedReason });
  }

  private close(entry: Open, reason: DialogClosedReason): void {
    this.settle(entry, { id: entry.id, cancelled: true });
    entry.cancel.cancel();
    if (!entry.isRouted) this.editor.notify("bridge/dialog_closed", { id: entry.id, reason });
  }

  private settle(entry: Open, answer: object): void {
    this.open.delete(entry.id);
    clearTimeout(entry.timer);
    this.pi.answerDialog(answer);
    this.changed();
  }
}
