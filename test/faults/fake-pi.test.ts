import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, ended, run, send, started } from "../support/traces.ts";

/** What real pi cannot be made to do. */

const exited = (data: object) => ({ error: { code: -32803, data: { kind: "exited", ...data } } });
const taken = answered("prompt", { disposition: "started" });

const logged = (editor: Talk, text: RegExp) =>
  editor.until(({ method, params }) => method === "window/logMessage" && text.test(String(params.message)));
const state = (editor: Talk, members: object) =>
  editor.until(({ method, params }) => {
    return method === "bridge/state" && Object.entries(members).every(([key, value]) => params[key] === value);
  });
const starts = (editor: Talk) => editor.fakeLog.filter((entry) => "start" in entry).length;

test("an answer that has lost its id is the one to the oldest command of its name", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { expect: { type: "get_entries" }, as: "entries" },
    { expect: { type: "get_tree" }, as: "second" },
    { send: { type: "response", command: "get_tree", success: true, data: { n: 1 } } },
    { to: "second", reply: { n: 2 } },
    { to: "entries", reply: { n: 3 } },
  ]);
  const requests = ["get_tree", "get_entries", "get_tree"].map((name) => editor.request(`pi/${name}`));
  expect(await Promise.all(requests)).toEqual([{ result: { n: 1 } }, { result: { n: 3 } }, { result: { n: 2 } }]);
  await logged(editor, /get_tree .*without an id/);
});

test("answers that nobody has asked for, and second ones, reach nobody", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, as: "tree" },
    { send: { id: "r999", type: "response", command: "get_tree", success: true, data: {} } },
    { send: { type: "response", command: "compact", success: true } },
    { send: { type: "response", command: "parse", success: false, error: "Failed to parse command" } },
    { to: "tree", reply: { n: 1 } },
    { to: "tree", reply: { n: 2 } },
    { expect: { type: "get_tree" }, reply: { n: 3 } },
  ]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: { n: 1 } });
  expect(await editor.request("pi/get_tree")).toEqual({ result: { n: 3 } });
  await logged(editor, /Failed to parse command/);
});

test("an answer that never comes is noticed when the wire falls silent, and only that one", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    // This one may take as long as it likes.
    { expect: { type: "compact" }, as: "compact" },
    { expect: { type: "get_entries" }, reply: {} },
    { expect: { type: "get_commands" }, reply: {} },
    { to: "compact", reply: {} },
  ]);
  const lost = editor.request("pi/get_tree");
  const slow = editor.request("pi/compact");
  expect(await editor.request("pi/get_entries")).toEqual({ result: {} });
  expect(await lost).toMatchObject({ error: { code: -32803, data: { kind: "lost", command: "get_tree" } } });
  expect(await editor.request("pi/get_commands")).toEqual({ result: {} });
  expect(await slow).toEqual({ result: {} });
});

test("a run whose end was not told is settled when pi says that it is idle", async () => {
  const editor = await talkTo(fakePi, [taken, ...started(), { expect: { type: "get_tree" }, reply: {} }]);
  const whole = editor.request("bridge/run", { message: "hello" });
  await state(editor, { activity: "running" });
  expect(await whole).toMatchObject({ result: { stopReason: "stop" } });
  await state(editor, { activity: "running" }).then((running) =>
    editor.until(({ method, params }) => method === "bridge/state" && params.activity === "idle", running),
  );
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  await logged(editor, /never said that the run has settled/);
});

test("a run that goes on is let alone, however silent it is", async () => {
  const editor = await talkTo(fakePi, [
    taken,
    { state: { sessionId: "s", isStreaming: true } },
    ...started(),
    { expect: { type: "get_tree" } },
    { expect: { type: "abort" }, reply: null },
    ...ended(true),
  ]);
  const whole = editor.request("bridge/run", { message: "hello" });
  // It is answered at once, and given up when that does not come: by then the silence has been looked into.
  expect(await editor.request("pi/get_tree")).toMatchObject({ error: { data: { kind: "lost" } } });
  expect(editor.all("bridge/state").at(-1)?.params).toMatchObject({ activity: "running" });
  await editor.call("pi/abort");
  expect(await whole).toMatchObject({ result: { aborted: true } });
});

test("a prompt that pi had taken and not saved comes back", async () => {
  const editor = await talkTo(fakePi, [
    taken,
    ...run({ text: ["one"] }),
    taken,
    { kill: "SIGKILL" },
    { restart: true },
    taken,
    ...run({ text: ["two"] }),
  ]);
  await editor.call("pi/prompt", { message: "saved" });
  await editor.until("pi/agent_settled");
  await editor.call("pi/prompt", { message: "in memory only" });
  const { params } = await editor.until(({ method, params: now }) => method === "bridge/state" && "lost" in now);
  expect(params.lost).toEqual({ prompts: ["in memory only"], steering: [], followUp: [] });
  const again = await state(editor, { phase: "ready", restarts: 1 });
  expect(again.params.lost).toEqual(params.lost);
  // It is there until pi takes a text again.
  await editor.call("pi/prompt", { message: "in memory only" });
  await editor.until(({ method, params: now }) => method === "bridge/state" && now.lost === undefined, again);
});

test("a pi that dies between telling of a message and writing it has not saved it", async () => {
  const told = { role: "assistant", content: [], stopReason: "stop", timestamp: 1 };
  const editor = await talkTo(fakePi, [taken, send("message_end", { message: told }), { kill: "SIGKILL" }]);
  await editor.call("pi/prompt", { message: "perhaps not written" });
  const { params } = await editor.until(({ method, params: now }) => method === "bridge/state" && "lost" in now);
  expect(params.lost).toEqual({ prompts: ["perhaps not written"], steering: [], followUp: [] });
});

test("a pi that ends itself while it is idle has not crashed: the next request starts it again", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "prompt" }, reply: { disposition: "handled" } },
    { exit: 0 },
    { restart: true },
    { expect: { type: "get_tree" }, reply: {} },
  ]);
  await editor.call("pi/prompt", { message: "/quit" });
  const stopped = await state(editor, { phase: "stopped" });
  expect(stopped.params).not.toHaveProperty("error");
  expect(starts(editor)).toBe(1);
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  expect(editor.all("window/showMessage")).toEqual([]);
});

test("foreign lines and broken records are passed over, wherever they stand", async () => {
  const foreign = 'Welcome!\n\n\u001b[32mhi\u001b[0m\n[1,2]\nnull\n5\n"text"\n{}\n{"type":5}\n{"type"\n';
  const editor = await talkTo(fakePi, [
    { raw: foreign },
    { base64: Buffer.from('{"type":"note","x":"\xff\xfe"}\n', "latin1").toString("base64") },
    { expect: { type: "get_tree" }, as: "tree" },
    send("note", { n: 1 }),
    { raw: foreign },
    send("note", { n: 2 }),
    { to: "tree", reply: {} },
  ]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  expect(editor.all("pi/note").map(({ params }) => params.n)).toEqual([1, 2]);
  expect(editor.received.filter(({ method }) => method?.startsWith("pi/") && method !== "pi/note")).toEqual([]);
  await logged(editor, /Welcome!/);
});

test("a flood on stderr stops nothing, and fills nothing", async () => {
  const line = `${"noise ".repeat(2000)}\n`;
  const floods = Array.from({ length: 200 }, (): Step => ({ stderr: line.repeat(10) }));
  const editor = await talkTo(fakePi, [...floods, { expect: { type: "get_tree" }, reply: {} }]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
});

test("a record of 64 MB goes through whole, and what follows it too", async () => {
  const bytes = 64 << 20;
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, bulk: bytes },
    { expect: { type: "get_entries" }, reply: { n: 1 } },
  ]);
  const [large, small] = [editor.request("pi/get_tree"), editor.request("pi/get_entries")];
  const { result } = (await large) as { result: { filler: string } };
  expect(result.filler.length).toBe(bytes);
  expect(await small).toEqual({ result: { n: 1 } });
});

test("a pi that never answers is left alone, and ends with the bridge", async () => {
  const editor = await talkTo(fakePi, [
    { stubborn: true },
    ...["prompt", "compact", "bash"].map((type): Step => ({ expect: { type } })),
    { expect: { type: "abort_bash" } },
    { expect: { type: "abort" } },
    { wait: "eof" },
  ]);
  await state(editor, { phase: "ready" });
  const open = [
    editor.request("pi/prompt", { message: "hello" }),
    editor.request("pi/compact"),
    editor.request("pi/bash", { command: "ls" }),
    editor.request("pi/abort_bash"),
    editor.request("pi/abort"),
  ];
  expect(await editor.request("bridge/state")).toMatchObject({ result: { dialogs: 0 } });
  await editor.shutDown();
  for (const answer of await Promise.all(open)) expect(answer).toMatchObject(exited({}));
});

test("six deaths in a row are too many; bridge/restart gives it another chance", { timeout: 120_000 }, async () => {
  const death: Step[] = [{ expect: { type: "get_tree" } }, { exit: 7 }, { restart: true }];
  const deaths = Array.from({ length: 6 }, () => death).flat();
  const editor = await talkTo(fakePi, [...deaths, { expect: { type: "get_tree" }, reply: {} }]);
  for (let restarts = 0; restarts < 6; restarts++) {
    await state(editor, { phase: "ready", restarts });
    expect(await editor.request("pi/get_tree")).toMatchObject(exited({ exitCode: 7 }));
  }
  const failed = await state(editor, { phase: "failed" });
  const message = expect.stringContaining("5 restarts within 3 minutes");
  expect(failed.params.error).toMatchObject({ exitCode: 7, message });
  // Every request fails at once, with the reason, and starts nothing.
  for (const method of ["pi/get_tree", "pi/prompt"])
    expect(await editor.request(method, method === "pi/prompt" ? { message: "x" } : {})).toMatchObject({
      error: { code: -32803, data: { exitCode: 7, ...(method === "pi/prompt" && { prompt: "x" }) } },
    });
  // What was typed comes back here, too.
  const { lost } = (await editor.call("bridge/state")) as { lost: unknown };
  expect(lost).toEqual({ prompts: ["x"], steering: [], followUp: [] });
  expect(starts(editor)).toBe(6);
  expect(await editor.request("bridge/restart")).toMatchObject({ result: { phase: "ready" } });
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  // One message for each death at most, and one for the end.
  expect(editor.all("window/showMessage").length).toBeLessThanOrEqual(7);
});

test("what was asked before the input ended is answered, however much it is", async () => {
  const editor = await talkTo(fakePi, [{ wait: "eof" }]);
  await state(editor, { phase: "ready" });
  const open = Array.from({ length: 1000 }, (_, at) => editor.request("pi/get_tree", {}, `t${at}`));
  editor.bridge.endInput();
  for (const answer of await Promise.all(open)) expect(answer).toMatchObject(exited({}));
  expect(await editor.bridge.ended).toEqual({ code: 1, signal: null, stderr: "" });
});
