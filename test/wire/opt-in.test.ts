import { expect, test } from "vitest";
import { commands } from "../../src/protocol/commands.ts";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { connect, initializeParams, type Talk, talkTo } from "../support/talk.ts";
import { answered, run, update } from "../support/traces.ts";

/** All that pi can say in one go, then a command. */
const noisy: Step[] = [
  { expect: { type: "prompt" }, as: "prompt" },
  ...run({ text: ["Hello."] }),
  { send: { type: "extension_ui_request", id: "n1", method: "notify", message: "a note" } },
  { send: { type: "extension_ui_request", id: "d1", method: "confirm", title: "Sure?", message: "?" } },
  { exactly: { type: "extension_ui_response", id: "d1", cancelled: true } },
  { stderr: "aside\n" },
  { to: "prompt", reply: { disposition: "started" } },
];

const custom = (editor: Talk) =>
  editor.received.flatMap(({ method }) => (/^(pi|bridge)\//.test(method ?? "") ? method : []));

test("a client of LSP alone gets nothing but standard messages, and pi is not started for it", async () => {
  const editor = await talkTo(fakePi, noisy, { optIn: null });
  expect(await editor.call("bridge/state")).toMatchObject({ phase: "stopped" });
  expect(editor.fakeLog).toEqual([]);
  await editor.call("workspace/executeCommand", { command: "pi.prompt", arguments: ["hi"] });
  expect(custom(editor)).toEqual([]);
  for (const { method } of editor.received) expect(method ?? "window/answer").toMatch(/^(window|\$)\//);
});

test("an opted-in client finds pi running, without asking for anything", async () => {
  const editor = await talkTo(fakePi);
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
});

test("what is excluded is not sent", async () => {
  const exclude = ["message_update", "turn_start", "ui/notify", "bridge/state"];
  const editor = await talkTo(fakePi, noisy, { optIn: { events: { exclude } } });
  await editor.call("pi/prompt", { message: "hi" });
  expect(new Set(custom(editor))).toEqual(
    new Set([
      "pi/agent_start",
      "pi/message_start",
      "pi/message_end",
      "pi/turn_end",
      "pi/agent_end",
      "pi/agent_settled",
    ]),
  );
});

test("initializationOptions.pi is the same opt-in, and may name dialogs alone", async () => {
  const scenario = noisy.map((step) =>
    "exactly" in step ? { expect: { type: "extension_ui_response", confirmed: true } } : step,
  );
  const editor = await talkTo(fakePi, scenario, {
    optIn: null,
    initializationOptions: { pi: { dialogs: ["confirm"] } },
  });
  const prompt = editor.request("pi/prompt", { message: "hi" });
  editor.answer(await editor.until("pi/ui/confirm"), { confirmed: true });
  await prompt;
  expect(custom(editor)).toEqual(["pi/ui/confirm"]);
});

test("didChangeConfiguration changes it", async () => {
  const twice = [...noisy, ...noisy];
  const editor = await talkTo(fakePi, twice, { optIn: { events: true } });
  const configure = (pi: unknown) => editor.notify("workspace/didChangeConfiguration", { settings: { pi } });
  configure({ events: false });
  await editor.call("bridge/state");
  const before = custom(editor).length;
  await editor.call("pi/prompt", { message: "hi" });
  expect(custom(editor).length).toBe(before);
  configure({ events: true });
  await editor.call("pi/prompt", { message: "hi" });
  expect(custom(editor)).toContain("pi/agent_settled");
});

test.for<[what: string, next: unknown, later: string[]]>([
  ["records as they are", { events: true }, ["d", "e"]],
  ["no events", { events: false }, []],
  ["other events", { events: { exclude: ["message_update"] } }, []],
])("what waits to be coalesced leaves before a change of the opt-in: %s", async ([, next, later]) => {
  const delta = (text: string) => update({ type: "text_delta", contentIndex: 0, delta: text });
  const scenario = [
    answered("steer"),
    ...["a", "b", "c"].map(delta),
    { raw: "noise\n" },
    answered("steer"),
    ...["d", "e"].map(delta),
    answered("steer"),
  ];
  const editor = await talkTo(fakePi, scenario, { optIn: { events: true, coalesce: { ms: 1000 } } });
  await editor.call("pi/steer", { message: "hi" });
  // What is logged passes what waits.
  await editor.until(({ method, params }) => method === "window/logMessage" && /noise/.test(`${params.message}`));
  editor.notify("workspace/didChangeConfiguration", { settings: { pi: next } });
  await editor.call("pi/steer", { message: "hi" });
  await editor.call("pi/steer", { message: "hi" });
  const texts = editor
    .all("pi/message_update")
    .map(({ params }) => (params.assistantMessageEvent as { delta: string }).delta);
  expect(texts.join("")).toBe(["a", "b", "c", ...later].join(""));
});

test.for([
  [{ events: "yes" }, "events"],
  [{ dialogs: ["select", "popup"] }, "dialogs"],
  [{ dialogs: true }, "dialogs"],
  [{ events: { exclude: "all" } }, "events"],
] as const)("an opt-in of %j fails initialize, naming the key", async ([optIn, key]) => {
  for (const options of [{ optIn }, { optIn: null, initializationOptions: { pi: optIn } }]) {
    const editor = connect();
    expect(await editor.request("initialize", initializeParams(editor, fakePi, [], options))).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(key), data: { kind: "invalid_params" } },
    });
    editor.notify("exit");
    expect(await editor.bridge.ended).toMatchObject({ code: 1 });
  }
});

test("keys of the capability that nobody knows are ignored", async () => {
  const editor = await talkTo(fakePi, [], { optIn: { events: true, telepathy: true } });
  await editor.until("bridge/state");
});

test("the answer to initialize", async () => {
  const editor = connect();
  const { result } = (await editor.request("initialize", initializeParams(editor, fakePi, []))) as {
    result: { capabilities: Record<string, unknown>; serverInfo: unknown };
  };
  expect(result.serverInfo).toEqual({ name: "pi-language-server", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(result.capabilities).toMatchObject({
    experimental: {
      pi: { version: 1, commands: Object.keys(commands), methods: expect.arrayContaining(["bridge/state"]) },
    },
    executeCommandProvider: { commands: expect.arrayContaining(["pi.prompt", "pi.get_state", "pi.bridge.state"]) },
  });
});

test("executeCommand: false leaves the commands out", async () => {
  const editor = connect();
  const params = initializeParams(editor, fakePi, [], { initializationOptions: { executeCommand: false } });
  const { result } = (await editor.request("initialize", params)) as { result: { capabilities: object } };
  expect(result.capabilities).not.toHaveProperty("executeCommandProvider");
});

test("$/setTrace shows the traffic with pi", async () => {
  const editor = await talkTo(fakePi, [{ expect: { type: "get_tree" }, reply: {} }], { optIn: null });
  editor.notify("$/setTrace", { value: "verbose" });
  await editor.call("pi/get_tree");
  const { params } = await editor.until(
    ({ method, params }) => method === "$/logTrace" && /get_tree/.test(String(params.verbose)),
  );
  expect(params.message).toMatch(/^→ pi/);
  editor.notify("$/setTrace", { value: "off" });
});
