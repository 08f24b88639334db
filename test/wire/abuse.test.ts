import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newestPi } from "../support/pis.ts";
import { EVERYTHING, talkTo } from "../support/talk.ts";

test("cancelling a request twice, and before it is looked at, ends nothing", async () => {
  const editor = await talkTo(newestPi);
  const run = editor.request("bridge/run", { message: "say: on\nstall" });
  const restart = editor.request("bridge/restart");
  for (let at = 0; at < 3; at++) for (const { id } of [run, restart]) editor.cancel(id);
  await Promise.all([run, restart]);
  for (const { id } of [run, restart]) editor.cancel(id);
  expect(await editor.call("bridge/run", { message: "say: still here" })).toMatchObject({ text: "still here" });
});

test("a broken answer to a dialog is no answer, and touches no request of the same id", async () => {
  const editor = await talkTo(newestPi, [], { optIn: EVERYTHING });
  const prompt = editor.request("pi/prompt", { message: '/select {"title":"Which?","options":["a","b"]}' });
  const dialog = await editor.until("pi/ui/select");
  const own = editor.request("pi/bash", { command: "cat < /dev/null; echo own" }, dialog.id as number);
  // What JSON.stringify makes of a result that is undefined.
  editor.send({ jsonrpc: "2.0", id: dialog.id });
  expect(await own).toMatchObject({ result: { output: "own\n" } });
  expect(await prompt).toMatchObject({ result: { disposition: "handled" } });
  expect(await editor.call("bridge/state")).toMatchObject({ dialogs: 0 });
});

test("of two answers to a dialog the first one counts", async () => {
  const editor = await talkTo(newestPi, [], { optIn: EVERYTHING });
  const prompt = editor.request("pi/prompt", { message: '/select {"title":"Which?","options":["a","b"]}' });
  const dialog = await editor.until("pi/ui/select");
  editor.answer(dialog, { value: "a" });
  editor.answer(dialog, { value: "b" });
  await prompt;
  const { params } = await editor.until("pi/ui/notify");
  expect(params.message).toBe('{"select":"a"}');
});

test.each(["fifo", "/dev/zero", "."])("an image that is no file is refused: %s", async (path) => {
  const editor = await talkTo(newestPi);
  execFileSync("mkfifo", [join(editor.sandbox.project, "fifo")]);
  expect(await editor.request("pi/prompt", { message: "look", images: [{ type: "image", path }] })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("it is not a file") },
  });
});

test("parameters that are nested too deeply for a command that is not known are refused", async () => {
  const editor = await talkTo(newestPi);
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const answer = editor.answerTo("deep");
  editor.asked.push("deep");
  const body = `{"jsonrpc":"2.0","id":"deep","method":"pi/zzz","params":{"x":${deep}}}`;
  editor.bytes(`Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(await answer).toMatchObject({ error: { code: -32602, data: { kind: "invalid_params" } } });
});
