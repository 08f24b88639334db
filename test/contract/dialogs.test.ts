import { describe, expect, test } from "vitest";
import type { Message } from "../support/editor.ts";
import { pis } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, ended, send, started } from "../support/traces.ts";

const RECORDS = {
  select: { method: "select", title: "Pick a colour", options: ["red", "green", "blue"] },
  confirm: { method: "confirm", title: "Go on?", message: "There is no way back." },
  input: { method: "input", title: "Your name", placeholder: "Ada" },
  editor: { method: "editor", title: "Commit message", prefill: "Fix the cart\n" },
} as const;

type Dialog = keyof typeof RECORDS;

const open = (dialog: Dialog, fields: Record<string, unknown> = {}): Step =>
  send("extension_ui_request", { id: "d1", ...RECORDS[dialog], ...fields });
const notify = (message: string): Step => send("extension_ui_request", { id: "n1", method: "notify", message });

/** A slash command that opens a dialog, tells the answer that it got, and ends. */
function scenario(dialog: Dialog, toPi: Record<string, unknown>, told: unknown, fields = {}): Step[] {
  return [
    { expect: { type: "prompt" }, as: "command" },
    open(dialog, fields),
    { exactly: { type: "extension_ui_response", id: "d1", ...toPi } },
    notify(JSON.stringify({ [dialog]: told })),
    { to: "command", reply: { disposition: "handled" } },
  ];
}

/** The answer that the extension has told of. */
async function told(editor: Talk): Promise<unknown> {
  const { params } = await editor.until("pi/ui/notify");
  return JSON.parse(String(params.message));
}

/** The dialog is off the screen: by its JSON-RPC id for those who know it, by pi's id for all. */
async function isClosed(editor: Talk, dialog: Message, reason: string): Promise<void> {
  const cancel = await editor.until("$/cancelRequest", dialog);
  expect(cancel.params).toEqual({ id: dialog.id });
  const closed = await editor.until("bridge/dialog_closed", dialog);
  expect(closed.params).toEqual({ id: dialog.params.id, reason });
}

const CANCELLED = { cancelled: true };
const NOBODY = { code: -32603, message: "the window is gone" };

/** What an editor answers, what reaches pi, what the extension gets, and whether the dialog counts as closed. */
const answers: [
  dialog: Dialog,
  name: string,
  reply: unknown,
  toPi: Record<string, unknown>,
  got: unknown,
  closed?: string,
][] = [
  ["select", "an option", { value: "green" }, { value: "green" }, "green"],
  ["select", "cancelled", CANCELLED, CANCELLED, null],
  ["select", "null", null, CANCELLED, null],
  ["select", "an empty object", {}, CANCELLED, null, "refused"],
  ["select", "what is no option", { value: "mauve" }, CANCELLED, null, "refused"],
  ["select", "a number", { value: 1 }, CANCELLED, null, "refused"],
  ["select", "an error", NOBODY, CANCELLED, null],
  ["confirm", "yes", { confirmed: true }, { confirmed: true }, true],
  ["confirm", "no", { confirmed: false }, { confirmed: false }, false],
  ["confirm", "cancelled", CANCELLED, CANCELLED, false],
  ["confirm", "null", null, CANCELLED, false],
  ["confirm", "a text", { confirmed: "yes" }, CANCELLED, false, "refused"],
  ["confirm", "an error", NOBODY, CANCELLED, false],
  ["input", "a text", { value: "Grace 🦋" }, { value: "Grace 🦋" }, "Grace 🦋"],
  ["input", "an empty text", { value: "" }, { value: "" }, ""],
  ["input", "null", null, CANCELLED, null],
  ["input", "both", { value: "Grace", cancelled: true }, CANCELLED, null],
  ["editor", "lines", { value: "one\ntwo\u2028three\n" }, { value: "one\ntwo\u2028three\n" }, "one\ntwo\u2028three\n"],
  ["editor", "null", null, CANCELLED, null],
  ["editor", "nonsense", [], CANCELLED, null, "refused"],
];

describe.each(pis)("$name", (pi) => {
  test.for(Object.keys(RECORDS) as Dialog[])("%s: every answer, and what is none", async (dialog) => {
    const rows = answers.filter(([name]) => name === dialog);
    const editor = await talkTo(
      pi,
      rows.flatMap(([, , , toPi, got]) => scenario(dialog, toPi, got)),
    );
    for (const [, name, reply, , got, closed] of rows) {
      const from = editor.received.length;
      const command = editor.request("pi/prompt", { message: `/${dialog}` });
      const asked = await editor.until(`pi/ui/${dialog}`, from);
      expect(asked.params, name).toEqual({
        type: "extension_ui_request",
        id: expect.any(String),
        ...RECORDS[dialog],
      });
      if (reply === NOBODY) editor.refuse(asked, NOBODY);
      else editor.answer(asked, reply);
      const heard = await editor.until("pi/ui/notify", asked);
      expect(JSON.parse(String(heard.params.message)), name).toEqual({ [dialog]: got });
      await command;
      const ends = editor.received.slice(from).filter(({ method }) => method === "bridge/dialog_closed");
      expect(
        ends.map(({ params }) => params),
        name,
      ).toEqual(closed ? [{ id: asked.params.id, reason: closed }] : []);
    }
    expect(editor.all("$/cancelRequest")).toEqual([]);
  });

  test("is answered also by an editor that makes a string of the id", async () => {
    const editor = await talkTo(pi, scenario("confirm", { confirmed: true }, true));
    const command = editor.request("pi/prompt", { message: "/confirm" });
    const asked = await editor.until("pi/ui/confirm");
    editor.send({ jsonrpc: "2.0", id: `${asked.id}`, result: { confirmed: true } });
    await command;
    expect(await told(editor)).toEqual({ confirm: true });
  });

  test("closes when its time is over; an answer that comes too late is of no consequence", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "command" },
      open("confirm", { timeout: 50 }),
      { expect: { type: "extension_ui_response", cancelled: true } },
      notify('{"confirm":false}'),
      { to: "command", reply: { disposition: "handled" } },
      ...scenario("confirm", { confirmed: true }, true),
    ]);
    const command = editor.request("pi/prompt", { message: '/confirm {"timeout":50}' });
    const asked = await editor.until("pi/ui/confirm");
    expect(asked.params.timeout).toBe(50);
    await isClosed(editor, asked, "timeout");
    expect(await told(editor)).toEqual({ confirm: false });
    await command;
    editor.answer(asked, { confirmed: true });
    const again = editor.request("pi/prompt", { message: "/confirm" });
    editor.answer(await editor.until("pi/ui/confirm", asked), { confirmed: true });
    await again;
    expect(editor.all("pi/ui/notify").map(({ params }) => params.message)).toEqual([
      '{"confirm":false}',
      '{"confirm":true}',
    ]);
  });

  test("is closed by an abort, which would otherwise wait for it", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      send("extension_ui_request", { id: "d1", method: "select", title: "Really?", options: ["yes", "no"] }),
      { expect: { type: "abort" }, as: "abort" },
      { exactly: { type: "extension_ui_response", id: "d1", cancelled: true } },
      ...ended(true),
      { to: "abort", reply: null },
    ]);
    await editor.call("pi/prompt", { message: 'tool: ask {"title":"Really?","options":["yes","no"]}' });
    const asked = await editor.until("pi/ui/select");
    expect(await editor.request("pi/abort")).toEqual({ result: null });
    await isClosed(editor, asked, "abort");
    await editor.until("pi/agent_settled");
  });

  test("is closed by a new session", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "command" },
      open("input"),
      { expect: { type: "new_session" }, as: "new" },
      { exactly: { type: "extension_ui_response", id: "d1", cancelled: true } },
      { to: "new", reply: { cancelled: false } },
      { to: "command", reply: { disposition: "handled" } },
    ]);
    const command = editor.request("pi/prompt", { message: "/input" });
    const asked = await editor.until("pi/ui/input");
    expect(await editor.request("pi/new_session")).toEqual({ result: { cancelled: false } });
    await isClosed(editor, asked, "session_replaced");
    await command;
  });

  test("is closed by pi's end", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" } },
      open("editor"),
      answered("prompt", { disposition: "handled" }),
      { kill: "SIGKILL" },
      { restart: true },
    ]);
    const command = editor.request("pi/prompt", { message: "/editor" });
    const asked = await editor.until("pi/ui/editor");
    const death = editor.request("pi/prompt", { message: "/die SIGKILL" });
    await isClosed(editor, asked, "exited");
    expect(await command).toMatchObject({ error: { data: { kind: "exited", signal: "SIGKILL", prompt: "/editor" } } });
    await death;
  });

  test("is closed when the editor says goodbye", async () => {
    const editor = await talkTo(pi, [{ expect: { type: "prompt" } }, open("select"), { wait: "eof" }]);
    const command = editor.request("pi/prompt", { message: "/select" });
    const asked = await editor.until("pi/ui/select");
    await editor.shutDown();
    await isClosed(editor, asked, "shutdown");
    expect(await command).toMatchObject({ error: { data: { kind: "exited" } } });
  });

  test("one that the editor cannot show is cancelled", async () => {
    const editor = await talkTo(pi, scenario("confirm", CANCELLED, false), {
      optIn: { events: true, dialogs: ["select", "input"] },
    });
    await editor.call("pi/prompt", { message: "/confirm" });
    expect(await told(editor)).toEqual({ confirm: false });
    expect(editor.all("pi/ui/confirm")).toEqual([]);
  });

  test("is counted in the state while it is open", async () => {
    const editor = await talkTo(pi, scenario("select", { value: "red" }, "red"));
    const command = editor.request("pi/prompt", { message: "/select" });
    const asked = await editor.until("pi/ui/select");
    expect(await editor.call("bridge/state")).toMatchObject({ dialogs: 1 });
    editor.answer(asked, { value: "red" });
    await command;
    expect(await editor.call("bridge/state")).toMatchObject({ dialogs: 0 });
  });
});
