import { expect, test } from "vitest";
import { store } from "../sessions/stored.ts";
import { ready } from "./ready.ts";

/** bridge/resume takes several commands; it stands where pi has got the one that matters. */
async function resuming() {
  const { editor, pi } = await ready();
  const file = store(editor.sandbox.sessions, { id: "0199", cwd: editor.sandbox.project });
  const resumed = editor.request("bridge/resume", { file });
  const state = await pi.next();
  expect(state.type).toBe("get_state");
  pi.answer(state, pi.state);
  const command = await pi.next();
  expect(command).toMatchObject({ type: "switch_session", sessionPath: file });
  return {
    editor,
    pi,
    /** Lets it come to its end. */
    finish: async () => {
      pi.answer(command, { cancelled: false });
      const last = await pi.next();
      expect(last.type).toBe("get_state");
      pi.answer(last, pi.state);
      expect(await resumed).toMatchObject({ result: { phase: "ready" } });
    },
  };
}

test("what came after it waits; abort passes, and drops what it makes pointless; a cancelled one is answered at once", async () => {
  const { editor, pi, finish } = await resuming();
  const prompt = editor.request("pi/prompt", { message: "hello" });
  const run = editor.request("bridge/run", { message: "hello" });
  const tree = editor.request("pi/get_tree");
  const bash = editor.request("pi/bash", { command: "ls" });
  const executed = editor.request("workspace/executeCommand", { command: "pi.get_commands" });
  editor.cancel(tree.id);
  expect(await tree).toMatchObject({ error: { code: -32800 } });
  const abort = editor.request("pi/abort");
  const stop = await pi.next();
  expect(stop.type).toBe("abort");
  expect(await prompt).toMatchObject({ error: { code: -32800, message: expect.stringContaining("abort came first") } });
  expect(await run).toMatchObject({ error: { code: -32800 } });
  pi.answer(stop);
  expect(await abort).toEqual({ result: null });
  await finish();
  for (const [type, request] of [
    ["bash", bash],
    ["get_commands", executed],
  ] as const) {
    const command = await pi.next();
    expect(command.type).toBe(type);
    pi.answer(command, { type });
    expect(await request).toEqual({ result: { type } });
  }
});

test("a second one waits for the first, and can be cancelled while it does", async () => {
  const { editor, pi, finish } = await resuming();
  const second = editor.request("bridge/resume", { id: "0199" });
  const after = editor.request("pi/get_tree");
  editor.cancel(second.id);
  expect(await second).toMatchObject({ error: { code: -32800 } });
  await finish();
  const command = await pi.next();
  expect(command.type).toBe("get_tree");
  pi.answer(command, {});
  expect(await after).toEqual({ result: {} });
});

test("when it fails, what waited is sent all the same", async () => {
  const { editor, pi } = await resuming();
  const waiting = editor.request("pi/get_tree");
  const restarted = editor.request("bridge/restart");
  const command = await pi.next();
  expect(command.type).toBe("get_tree");
  pi.answer(command, {});
  expect(await waiting).toEqual({ result: {} });
  expect(await restarted).toMatchObject({ result: { phase: "ready" } });
});
