import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { talkTo } from "../support/talk.ts";

const exited = (data: object) => ({ error: { code: -32803, data: { kind: "exited", ...data } } });

test("half a record, and the end: the request fails, and the half is in the log", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, as: "p" },
    { raw: '{"id":"$p","type":"response","command":"get_tree","success":true,"data":{"tree":[' },
    { exit: 0 },
    { restart: true },
    { expect: { type: "get_tree" }, reply: { tree: [] } },
  ]);
  expect(await editor.request("pi/get_tree")).toMatchObject(exited({ exitCode: 0, signal: null }));
  await editor.until(
    ({ method, params }) => method === "window/logMessage" && /inside a record/.test(String(params.message)),
  );
  expect(await editor.request("pi/get_tree")).toEqual({ result: { tree: [] } });
});

test("everything that is open is answered, in the order in which it was asked", async () => {
  const count = 200;
  const editor = await talkTo(fakePi, [
    ...Array.from({ length: count }, () => ({ expect: { type: "get_tree" } })),
    { kill: "SIGKILL" },
    { restart: true },
  ]);
  const requests = Array.from({ length: count }, (_, at) => editor.request("pi/get_tree", {}, `t${at}`));
  for (const answer of await Promise.all(requests)) {
    expect(answer).toMatchObject(exited({ exitCode: null, signal: "SIGKILL", stderr: "" }));
  }
  const order = editor.received.flatMap(({ id }) => (String(id).startsWith("t") ? id : []));
  expect(order).toEqual(requests.map(({ id }) => id));
});

test("of a flood on stderr the end is kept, without colours", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { stderr: `${"noise ".repeat(20_000)}\n\u001b[31mfatal: \u001b[0mout of ideas ✗\n` },
    { exit: 9 },
    { restart: true },
  ]);
  const answer = await editor.request("pi/get_tree");
  expect(answer).toMatchObject(exited({ exitCode: 9, stderr: expect.stringMatching(/\nfatal: out of ideas ✗$/) }));
  expect(answer).toMatchObject({ error: { message: "pi has ended (exit code 9): fatal: out of ideas ✗" } });
  const { error } = answer as { error: { data?: { stderr?: string } } };
  expect(error.data?.stderr?.length).toBeLessThanOrEqual(8192);
});

test("what a killed pi had said before is not told as the reason", async () => {
  const stderr = "Warning: nothing to worry about";
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { stderr: `${stderr}\n` },
    { kill: "SIGKILL" },
    { restart: true },
  ]);
  const answer = await editor.request("pi/get_tree");
  expect(answer).toMatchObject(exited({ exitCode: null, signal: "SIGKILL", stderr }));
  expect(answer).toMatchObject({ error: { message: "pi has ended (signal SIGKILL)." } });
});

test("an answer that was written before the end still counts", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, as: "first" },
    { expect: { type: "get_entries" } },
    { to: "first", bulk: 4 << 20 },
    { send: { type: "note" }, times: 100 },
    { exit: 1 },
    { restart: true },
  ]);
  const [first, second] = [editor.request("pi/get_tree"), editor.request("pi/get_entries")];
  expect(await first).toEqual({ result: { filler: "x".repeat(4 << 20) } });
  expect(await second).toMatchObject(exited({ exitCode: 1 }));
  expect(editor.all("pi/note").length).toBe(100);
});

test("bridge/restart ends pi and starts it again on the same session", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { wait: "eof" },
    { restart: true },
    { expect: { type: "get_tree" }, reply: {} },
  ]);
  const open = editor.request("pi/get_tree");
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  expect(await editor.request("bridge/restart")).toMatchObject({ result: { phase: "ready", restarts: 1 } });
  expect(await open).toMatchObject(exited({}));
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  const starts = editor.fakeLog.flatMap((entry) => ("start" in entry ? [entry.start] : []));
  expect(starts).toEqual([
    ["--mode", "rpc"],
    // By its id: the file that the fake one names is not there.
    ["--mode", "rpc", "--session-id", "fake-session"],
  ]);
});
