import { CancellationToken } from "vscode-jsonrpc/node";
import { activity } from "../bridge/activity.ts";
import type { EditorConnection } from "../editor/connection.ts";
import { parseRecord } from "../pi/record.ts";
import type { Feature } from "./feature.ts";

/** What begins what is shown, outside of a run too, and what changes the words. All else is not decoded. */
const TELLING = new Set(["agent_start", "turn_start", "tool_execution_start", "auto_retry_start", "compaction_start"]);

/** `$/progress` for each run: from its start until it has settled, with what it is doing. Cancelling it stops the run. */
export class Progress {
  private readonly editor: EditorConnection;
  private readonly isWanted: () => boolean;
  private readonly abort: () => void;
  private count = 0;
  private now: { token: string; isShown: boolean; message: string } | undefined;
  private isRunning = false;

  constructor(editor: EditorConnection, hooks: { isWanted(): boolean; abort(): void }) {
    this.editor = editor;
    this.isWanted = hooks.isWanted;
    this.abort = hooks.abort;
  }

  readonly feature: Feature = {
    notifications: {
      "window/workDoneProgress/cancel": (params) => {
        if (this.now && (params as { token?: unknown } | undefined)?.token === this.now.token) this.abort();
      },
    },
  };

  /** An event of pi's. */
  record(type: string, line: Buffer): void {
    if (type === "agent_start") this.isRunning = true;
    if (type === "agent_settled" || (type === "compaction_end" && !this.isRunning)) return this.end();
    if (!this.isWanted()) return;
    const isPart = type === "message_update" && /"(?:thinking|text)_start"/.test(line.toString("latin1", 0, 400));
    if (!isPart && !TELLING.has(type)) return;
    const record = parseRecord(line);
    const message = record && (activity(type, record) ?? (type === "agent_start" ? "starting" : undefined));
    if (message !== undefined) this.show(message);
  }

  /** Whatever was running, runs no more. */
  end(): void {
    this.isRunning = false;
    const { now } = this;
    this.now = undefined;
    if (now?.isShown) this.report(now.token, { kind: "end" });
  }

  private show(message: string): void {
    if (this.now) {
      this.now.message = message;
      if (this.now.isShown) this.report(this.now.token, { kind: "report", message });
      return;
    }
    this.count += 1;
    const mine = { token: `pi-${this.count}`, isShown: false, message };
    this.now = mine;
    this.editor.request("window/workDoneProgress/create", { token: mine.token }, CancellationToken.None).then(
      () => {
        mine.isShown = true;
        this.report(mine.token, { kind: "begin", title: "pi", cancellable: true, message: mine.message });
        // A short run is over by now; some editors show what they have made until it ends.
        if (this.now !== mine) this.report(mine.token, { kind: "end" });
      },
      // An editor that refuses is shown nothing.
      () => {},
    );
  }

  private report(token: string, value: object): void {
    this.editor.notify("$/progress", { token, value });
  }
}
