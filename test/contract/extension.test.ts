import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";
import { answered, send } from "../support/traces.ts";

/** What /announce says, without the ids. */
const ANNOUNCEMENTS = [
  { method: "notify", message: "a note" },
  { method: "notify", message: "a warning", notifyType: "warning" },
  { method: "notify", message: "an error", notifyType: "error" },
  { method: "setStatus", statusKey: "scripted", statusText: "\u001b[32mbusy\u001b[0m" },
  { method: "setStatus", statusKey: "scripted" },
  {
    method: "setWidget",
    widgetKey: "scripted",
    widgetLines: ["first line", "second line"],
    widgetPlacement: "belowEditor",
  },
  { method: "setWidget", widgetKey: "scripted" },
  { method: "setTitle", title: "scripted pi" },
  { method: "set_editor_text", text: "a text to edit" },
];

describe.each(pis)("$name", (pi) => {
  test("announcements arrive as they were made", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "command" },
      ...ANNOUNCEMENTS.map((fields, at): Step => send("extension_ui_request", { id: `n${at}`, ...fields })),
      { to: "command", reply: { disposition: "handled" } },
    ]);
    await editor.call("pi/prompt", { message: "/announce" });
    const told = editor.received.filter(({ method }) => method?.startsWith("pi/ui/"));
    expect(told.map(({ method }) => method)).toEqual(ANNOUNCEMENTS.map(({ method }) => `pi/ui/${method}`));
    expect(told.map(({ params }) => params)).toEqual(
      ANNOUNCEMENTS.map((fields) => ({ type: "extension_ui_request", id: expect.any(String), ...fields })),
    );
  });

  test("an extension's entry and an extension's error", async () => {
    const entry = { type: "custom", customType: "scripted", data: { seen: [1, 2] } };
    const failure = { extensionPath: "command:throw", event: "command", error: "out of luck" };
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "entry" },
      send("entry_appended", { entry: { ...entry, id: "e1", parentId: null, timestamp: "2026-01-31T09:26:53.589Z" } }),
      { to: "entry", reply: { disposition: "handled" } },
      { expect: { type: "prompt" }, as: "throw" },
      send("extension_error", failure),
      { to: "throw", reply: { disposition: "handled" } },
    ]);
    await editor.call("pi/prompt", { message: '/entry {"seen":[1,2]}' });
    expect((await editor.until("pi/entry_appended")).params.entry).toMatchObject(entry);
    await editor.call("pi/prompt", { message: "/throw out of luck" });
    expect((await editor.until("pi/extension_error")).params).toEqual({ type: "extension_error", ...failure });
  });

  test("what pi says on stderr is logged", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "log" },
      { stderr: "a word aside ✓\n" },
      { to: "log", reply: { disposition: "handled" } },
    ]);
    await editor.call("pi/prompt", { message: "/log a word aside ✓" });
    const log = await editor.until(
      ({ method, params }) => method === "window/logMessage" && /aside/.test(String(params.message)),
    );
    expect(log.params).toEqual({ type: 3, message: "a word aside ✓" });
  });

  test("a pi that an extension shuts down is no crash: the next request starts it again", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "handled" }),
      { exit: 0 },
      { restart: true },
      answered("get_last_assistant_text", { text: null }),
    ]);
    await editor.call("pi/prompt", { message: "/quit" });
    const stopped = await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "stopped");
    expect(stopped.params).not.toHaveProperty("error");
    expect(await editor.request("pi/get_last_assistant_text")).toHaveProperty("result");
    expect(await editor.call("bridge/state")).toMatchObject({ phase: "ready", restarts: 1 });
    expect(editor.all("window/showMessage")).toEqual([]);
  });
});
