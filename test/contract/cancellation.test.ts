import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import { connect, initializeParams, talkTo } from "../support/talk.ts";
import { answered, ended, send, started } from "../support/traces.ts";

const CANCELLED = { error: { code: -32800, message: "The request was cancelled." } };
const dropped = (command: string, by: string) => ({
  error: { code: -32800, message: `${command} was not sent: ${by} came first.` },
});

describe.each(pis)("$name", (pi) => {
  test("a request that cannot be stopped is answered at once, and its late answer dropped", async () => {
    const editor = await talkTo(pi, [
      { exactly: { type: "get_messages" }, as: "slow" },
      send("note"),
      { expect: { type: "get_last_assistant_text" }, as: "next" },
      { to: "slow", reply: { messages: [] } },
      { to: "next", reply: { text: null } },
    ]);
    await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
    const messages = editor.request("pi/get_messages");
    if (pi.isFake) await editor.until("pi/note");
    editor.cancel(messages.id);
    expect(await messages).toEqual(CANCELLED);
    // pi answers in order: the dropped answer has come before this one.
    await editor.call("pi/get_last_assistant_text");
  });

  test("the prompt of a slash command is given up, while the command goes on", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "prompt" }, as: "command" },
      send("extension_ui_request", { id: "d1", method: "input", title: "Your name" }),
      { exactly: { type: "extension_ui_response", id: "d1", value: "Grace" } },
      send("extension_ui_request", { id: "n1", method: "notify", message: '{"input":"Grace"}' }),
      { to: "command", reply: { disposition: "handled" } },
    ]);
    const command = editor.request("pi/prompt", { message: "/input" });
    const asked = await editor.until("pi/ui/input");
    editor.cancel(command.id);
    expect(await command).toEqual(CANCELLED);
    editor.answer(asked, { value: "Grace" });
    expect((await editor.until("pi/ui/notify")).params.message).toBe('{"input":"Grace"}');
  });

  test("what is cancelled before pi is ready never reaches it", async () => {
    const editor = connect();
    const initialize = initializeParams(editor, pi, [answered("get_messages", { messages: [] })]);
    await editor.call("initialize", initialize);
    const prompt = editor.request("pi/prompt", { message: "say: never" });
    editor.cancel(prompt.id);
    expect(await prompt).toEqual(CANCELLED);
    expect(await editor.request("pi/get_messages")).toEqual({ result: { messages: [] } });
    expect(editor.all("pi/agent_start")).toEqual([]);
  });

  test("an abort overtakes what waits, and what it makes pointless is never sent", async () => {
    const editor = connect();
    const scenario = [answered("abort"), answered("abort_bash"), answered("get_messages", { messages: [] })];
    await editor.call("initialize", initializeParams(editor, pi, scenario));
    const pointless = [
      editor.request("pi/prompt", { message: "say: never" }),
      editor.request("pi/steer", { message: "say: never" }),
      editor.request("pi/follow_up", { message: "say: never" }),
      editor.request("pi/compact"),
    ];
    const bash = editor.request("pi/bash", { command: "echo never" });
    const messages = editor.request("pi/get_messages");
    const aborts = [editor.request("pi/abort"), editor.request("pi/abort_bash")];
    expect(await Promise.all(pointless)).toEqual([
      dropped("prompt", "abort"),
      dropped("steer", "abort"),
      dropped("follow_up", "abort"),
      dropped("compact", "abort"),
    ]);
    expect(await bash).toEqual(dropped("bash", "abort_bash"));
    expect(await Promise.all(aborts)).toEqual([{ result: null }, { result: null }]);
    expect(await messages).toEqual({ result: { messages: [] } });
    expect(editor.all("pi/bash_execution_update")).toEqual([]);
  });

  test("a cancelled compaction gives its own answer; pi 0.84 cannot stop it, and finishes it", async () => {
    const said = [answered("prompt", { disposition: "started" }), ...started(), ...ended()];
    const instructions = "hold\nsay: a summary";
    const editor = await talkTo(pi, [
      ...said,
      ...said,
      { exactly: { type: "compact", customInstructions: instructions }, as: "compact" },
      send("compaction_start", { reason: "manual" }),
      { exactly: { type: "abort" }, as: "abort" },
      send("compaction_end", { reason: "manual", aborted: true, willRetry: false }),
      { to: "compact", reject: "Compaction cancelled" },
      { to: "abort", reply: null },
      answered("prompt", { disposition: "handled" }),
    ]);
    for (const text of ["one", "two"]) {
      const from = editor.received.length;
      await editor.call("pi/prompt", { message: `say: ${text}` });
      await editor.until("pi/agent_settled", from);
    }
    const compact = editor.request("pi/compact", { customInstructions: instructions });
    await editor.until("pi/compaction_start");
    editor.cancel(compact.id);
    if (pi.has("1.6.0")) await editor.until("pi/compaction_end");
    await editor.call("pi/prompt", { message: "/release" });
    const end = await editor.until("pi/compaction_end");
    expect(end.params).toMatchObject({ reason: "manual", aborted: pi.has("1.6.0"), willRetry: false });
    expect(await compact).toEqual(
      pi.has("1.6.0")
        ? {
            error: {
              code: -32803,
              message: "Compaction cancelled",
              data: { kind: "rejected", command: "compact" },
            },
          }
        : { result: expect.objectContaining({ summary: expect.stringContaining("a summary") }) },
    );
  });

  test("cancelling what is answered, or was never asked, does nothing", async () => {
    const editor = await talkTo(pi, [
      answered("get_messages", { messages: [] }),
      answered("get_messages", { messages: [] }),
    ]);
    const messages = editor.request("pi/get_messages");
    await messages;
    for (const id of [messages.id, 12345, "nobody"]) editor.cancel(id);
    expect(await editor.request("pi/get_messages")).toEqual({ result: { messages: [] } });
  });
});
