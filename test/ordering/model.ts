import { expect } from "vitest";
import { type CommandSpec, commandSpec } from "../../src/protocol/commands.ts";
import type { Message, Pending } from "../support/editor.ts";
import type { PiRecord } from "../support/scenario.ts";
import type { Talk } from "../support/talk.ts";
import { type DialogKind, dialogRecord, goodAnswer, wrongAnswer } from "./dialog-kinds.ts";
import type { Puppet } from "./puppet.ts";

/** A request that has not come to its end at both ends. */
interface Open {
  command: string;
  params: object | undefined;
  spec: CommandSpec;
  request: Pending;
  /** Once it has arrived there. */
  atPi?: PiRecord;
  /** The editor has been told that it is cancelled. */
  isCancelled?: true;
  /** pi has been told to stop it. */
  isStopped?: true;
}

interface Dialog {
  kind: DialogKind;
  id: string;
  shown: Message;
  /** pi has ended since: its answer may not have arrived. */
  isGone?: true;
}

/** Of all models: the connection outlives them, and with it the names of the dialogs. */
let count = 0;

const PARAMS: Record<string, object> = {
  prompt: { message: "p" },
  steer: { message: "s" },
  follow_up: { message: "f" },
  bash: { command: "ls" },
  fork: { entryId: "e" },
  switch_session: { sessionPath: "/s.jsonl" },
  set_session_name: { name: "n" },
};

/**
 * What the bridge should do, step by step, and a check after each that it does just that. It knows the rules: commands go
 * to pi in order; an `abort` goes first and drops what waits; a command that runs alone holds up what came after it, and a prompt the next prompt; a
 * cancelled command gets its answer and no other; a dialog ends once.
 */
export class Model {
  private readonly editor: Talk;
  private readonly pi: Puppet;
  private readonly waiting: Open[] = [];
  private readonly sent: Open[] = [];
  private alone: Open | undefined;
  /** The prompt that the next one waits for. */
  private turn: Open | undefined;
  private readonly dialogs: Dialog[] = [];
  private readonly closed: Dialog[] = [];

  constructor(editor: Talk, pi: Puppet) {
    this.editor = editor;
    this.pi = pi;
  }

  async request(command: string): Promise<void> {
    const spec = commandSpec(command) as CommandSpec;
    const params = PARAMS[command];
    const open: Open = { command, params, spec, request: this.editor.request(`pi/${command}`, params) };
    for (const dropped of this.waiting.filter((other) => spec.drops?.includes(other.command))) {
      this.waiting.splice(this.waiting.indexOf(dropped), 1);
      await this.expectCancelled(dropped);
    }
    if (spec.order !== "overtakes" && (this.waiting.length > 0 || this.isHeldBack(open))) this.waiting.push(open);
    else await this.arrives(open);
    await this.goOn();
  }

  /** pi answers one of the commands that it has. */
  async answer(which: number, how: "data" | "none" | "error"): Promise<void> {
    const open = pick(this.sent, which);
    if (!open?.atPi) return;
    this.sent.splice(this.sent.indexOf(open), 1);
    const data = { n: ++count };
    if (how === "error") this.pi.refuse(open.atPi, `no ${count}`);
    else this.pi.answer(open.atPi, how === "data" ? data : undefined);
    if (open.isCancelled) await this.barrier();
    else if (how === "error")
      expect(await open.request).toMatchObject({ error: { code: -32803, message: `no ${count}` } });
    else expect(await open.request).toEqual({ result: how === "data" ? data : null });
    if (this.alone === open) this.alone = undefined;
    if (this.turn === open) this.turn = undefined;
    await this.goOn();
  }

  private isHeldBack({ spec }: Open): boolean {
    return this.alone !== undefined || (spec.order === "in_turn" && this.turn !== undefined);
  }

  private async goOn(): Promise<void> {
    for (let [next] = this.waiting; next && !this.isHeldBack(next); [next] = this.waiting)
      await this.arrives(this.waiting.shift() as Open);
  }

  async cancel(which: number): Promise<void> {
    const open = pick(
      [...this.waiting, ...this.sent].filter((one) => !one.isCancelled),
      which,
    );
    if (!open) return;
    this.editor.cancel(open.request.id);
    if (!open.atPi) {
      this.waiting.splice(this.waiting.indexOf(open), 1);
      await this.expectCancelled(open);
      await this.goOn();
    } else if (!open.spec.cancel) await this.expectCancelled(open);
    else if (!open.isStopped) {
      open.isStopped = true;
      const stop = open.spec.cancel.send;
      expect(await this.pi.next()).toMatchObject({ type: stop });
      await this.closesDialogs(commandSpec(stop));
    }
  }

  /** pi opens a dialog. */
  async open(kind: DialogKind): Promise<void> {
    const id = `dialog-${++count}`;
    const from = this.editor.received.length;
    this.pi.send(dialogRecord(kind, id));
    const shown = await this.editor.until(`pi/ui/${kind}`, from);
    expect(shown.params).toEqual(dialogRecord(kind, id));
    this.dialogs.push({ kind, id, shown });
  }

  /** pi opens a dialog that closes by itself; the editor may answer it while it does. */
  async openShortly(kind: DialogKind, isAnswered: boolean): Promise<void> {
    const id = `dialog-${++count}`;
    const from = this.editor.received.length;
    this.pi.send({ ...dialogRecord(kind, id), timeout: 1 });
    const shown = await this.editor.until(`pi/ui/${kind}`, from);
    if (isAnswered) this.editor.answer(shown, goodAnswer(kind));
    const answer = await this.pi.dialogAnswer(id);
    if ("cancelled" in answer) await this.expectClosed({ kind, id, shown }, "timeout");
    else expect(isAnswered).toBe(true);
    this.closed.push({ kind, id, shown });
  }

  /** The editor answers an open dialog. */
  async reply(which: number, how: "good" | "wrong" | "error" | "null"): Promise<void> {
    const dialog = pick(this.dialogs, which);
    if (!dialog) return;
    const { kind, id, shown } = dialog;
    const from = this.editor.received.length;
    if (how === "error") this.editor.refuse(shown, { code: -32000, message: "no window" });
    else this.editor.answer(shown, how === "good" ? goodAnswer(kind) : how === "wrong" ? wrongAnswer(kind) : null);
    const expected = how === "good" ? goodAnswer(kind) : { cancelled: true };
    expect(await this.pi.dialogAnswer(id)).toEqual({ type: "extension_ui_response", id, ...expected });
    if (how === "wrong") {
      const { params } = await this.editor.until("bridge/dialog_closed", from);
      expect(params).toEqual({ id, reason: "refused" });
    }
    this.dialogs.splice(this.dialogs.indexOf(dialog), 1);
    this.closed.push(dialog);
  }

  /** The editor answers a dialog that is closed. */
  replyLate(which: number): void {
    const dialog = pick(this.closed, which);
    if (dialog) this.editor.answer(dialog.shown, goodAnswer(dialog.kind));
  }

  async restart(): Promise<void> {
    const restarted = this.editor.request("bridge/restart");
    for (const open of [...this.waiting, ...this.sent].filter((one) => !one.isCancelled))
      expect(await open.request).toMatchObject({ error: { code: -32803, data: { kind: "exited" } } });
    for (const dialog of this.dialogs) {
      await this.expectClosed(dialog, "exited");
      this.closed.push({ ...dialog, isGone: true });
    }
    expect(await restarted).toMatchObject({ result: { phase: "ready" } });
    this.waiting.length = this.sent.length = this.dialogs.length = 0;
    this.alone = this.turn = undefined;
    this.pi.forget();
  }

  /** Brings everything to its end, and looks at the books. */
  async finish(): Promise<void> {
    while (this.dialogs.length > 0) await this.reply(0, "null");
    while (this.sent.length > 0) await this.answer(0, "none");
    // Whatever should not have been sent would arrive before this.
    await this.request("get_commands");
    await this.answer(0, "data");
    for (const { id, isGone } of this.closed) {
      const answers = this.pi.dialogAnswers.get(id)?.length ?? 0;
      if (!isGone || answers > 0) expect(answers, `answers to ${id}`).toBe(1);
    }
    const answers = Map.groupBy(this.editor.received, ({ id, method }) => (method === undefined ? id : undefined));
    for (const id of this.editor.asked) expect(answers.get(id)?.length, `answers to ${id}`).toBe(1);
  }

  private async arrives(open: Open): Promise<void> {
    const command = await this.pi.next();
    expect(command).toEqual({ ...open.params, id: command.id, type: open.command });
    open.atPi = command;
    this.sent.push(open);
    if (open.spec.order === "alone") this.alone = open;
    if (open.spec.order === "in_turn") this.turn = open;
    await this.closesDialogs(open.spec);
  }

  private async closesDialogs(spec: CommandSpec | undefined): Promise<void> {
    if (!spec?.closesDialogs) return;
    for (const dialog of this.dialogs.splice(0)) {
      const answer = await this.pi.dialogAnswer(dialog.id);
      expect(answer).toEqual({ type: "extension_ui_response", id: dialog.id, cancelled: true });
      await this.expectClosed(dialog, spec.closesDialogs);
      this.closed.push(dialog);
    }
  }

  private async expectCancelled(open: Open): Promise<void> {
    expect(await open.request).toMatchObject({ error: { code: -32800 } });
    open.isCancelled = true;
  }

  private async expectClosed({ id, shown }: Dialog, reason: string): Promise<void> {
    await this.editor.until(({ method, params }) => method === "$/cancelRequest" && params.id === shown.id, shown);
    const told = await this.editor.until(
      ({ method, params }) => method === "bridge/dialog_closed" && params.id === id,
      shown,
    );
    expect(told.params).toEqual({ id, reason });
  }

  /** Everything that pi has written so far has been read. */
  private async barrier(): Promise<void> {
    const from = this.editor.received.length;
    this.pi.send({ type: "barrier", n: ++count });
    await this.editor.until(({ method, params }) => method === "pi/barrier" && params.n === count, from);
  }
}

function pick<T>(items: readonly T[], which: number): T | undefined {
  return items[which % Math.max(1, items.length)];
}
