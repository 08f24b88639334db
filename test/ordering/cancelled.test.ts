import { expect, test } from "vitest";
import { ready } from "./ready.ts";

test("however many requests are cancelled, the next one is read", async () => {
  const { editor, pi } = await ready();
  for (let count = 0; count < 600; count++) {
    const request = editor.request("pi/get_tree");
    const command = await pi.next();
    editor.cancel(request.id);
    expect(await request).toMatchObject({ error: { code: -32800 } });
    pi.answer(command, {});
  }
  expect(await editor.request("bridge/state")).toMatchObject({ result: { phase: "ready" } });
});

test("a late answer to a cancelled request is dropped, and the next request gets its own", async () => {
  const { editor, pi } = await ready();
  const first = editor.request("pi/get_tree");
  const cancelled = await pi.next();
  editor.cancel(first.id);
  expect(await first).toMatchObject({ error: { code: -32800 } });
  const second = editor.request("pi/get_tree");
  const command = await pi.next();
  pi.answer(cancelled, { n: 1 });
  pi.answer(command, { n: 2 });
  expect(await second).toEqual({ result: { n: 2 } });
  // Cancelled again, and a request that there never was.
  editor.cancel(first.id);
  editor.cancel("nobody");
  expect(await editor.request("bridge/state")).toMatchObject({ result: { phase: "ready" } });
});

test("an id that is still open is refused however often it is tried, and free again after its answer", async () => {
  const { editor, pi } = await ready();
  const open = editor.request("pi/get_tree", {}, "id");
  const command = await pi.next();
  for (let count = 0; count < 3; count++) {
    const from = editor.received.length;
    editor.send({ jsonrpc: "2.0", id: "id", method: "pi/get_tree" });
    // Not to the id: that would be taken for the answer to the first one.
    const refused = await editor.until((message) => message.id === null, from);
    expect(refused.error).toMatchObject({ code: -32600, message: expect.stringContaining("still open") });
  }
  pi.answer(command, { n: 1 });
  expect(await open).toEqual({ result: { n: 1 } });
  const again = editor.request("pi/get_tree", {}, "id");
  pi.answer(await pi.next(), { n: 2 });
  expect(await again).toEqual({ result: { n: 2 } });
});

test.for<[method: string, params: object]>([
  ["bridge/tree", {}],
  ["bridge/history", {}],
  ["bridge/fetch", { id: "2048:tool:content/0:call_1" }],
])("%s leaves at once when it is cancelled, also while pi is silent", async ([method, params]) => {
  const { editor, pi } = await ready();
  const request = editor.request(method, params);
  const asked = await pi.next();
  editor.cancel(request.id);
  expect(await request).toEqual({ error: { code: -32800, message: "The request was cancelled." } });
  pi.answer(asked, {});
  expect(await editor.request("bridge/state")).toMatchObject({ result: { phase: "ready" } });
});
