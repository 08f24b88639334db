import { expect, test } from "vitest";
import { frame } from "../support/frames.ts";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { connect, initializeParams, type Talk, talkTo } from "../support/talk.ts";

const json = (message: unknown) => frame(JSON.stringify(message));
const request = (fields: object) => json({ jsonrpc: "2.0", id: "bad", method: "bridge/state", ...fields });
const bytes = (text: string) => Buffer.from(text, "latin1");
const state = '{"jsonrpc":"2.0","id":"bad","method":"bridge/state"}';

/** An editor whose pi would be started by the first thing that concerns it, and fails at whatever it is told. */
function stock(scenario: readonly Step[] = []): Promise<Talk> {
  return talkTo(fakePi, scenario, { optIn: null });
}

/** What is sent, and the error that answers it: its id, its code, a part of its message. */
const faults: [name: string, sent: Buffer, id: string | number | null, code: number, message: string][] = [
  [
    "a line of junk",
    bytes("hello world\n"),
    null,
    -32700,
    'expected a "Content-Length: <bytes>" header, got "hello world"',
  ],
  ["JSON without a frame", bytes(`${state}\r\n`), null, -32700, "Bad framing"],
  [
    "a header without a length",
    bytes("Content-Type: text/plain\r\n\r\n"),
    null,
    -32700,
    "headers without Content-Length",
  ],
  ["a length that is no number", bytes("Content-Length: many\r\n\r\n"), null, -32700, "Bad framing"],
  [
    "another charset",
    bytes(
      'Content-Type: text/plain; charset=utf-16\r\nContent-Length: 40\r\n\r\n{"jsonrpc":"2.0","method":"initialized"}',
    ),
    null,
    -32700,
    "charset utf-16",
  ],
  ["no JSON", frame("{jsonrpc"), null, -32700, "The message body is not JSON"],
  ["an empty body", frame(""), null, -32700, "The message body is not JSON"],
  ["a batch", json([{ jsonrpc: "2.0", id: 1, method: "bridge/state" }]), null, -32600, "Batches are not supported"],
  ["an empty batch", json([]), null, -32600, "Batches are not supported"],
  ["null", json(null), null, -32600, "A message must be a JSON object, got null."],
  ["a number", json(5), null, -32600, "A message must be a JSON object, got 5."],
  ["a string", json("hello"), null, -32600, 'A message must be a JSON object, got "hello".'],
  ["an empty object", json({}), null, -32600, "no method"],
  ["an id and nothing else", json({ jsonrpc: "2.0", id: "bad" }), "bad", -32600, "no method"],
  ["another version", request({ jsonrpc: "1.0" }), "bad", -32600, 'jsonrpc must be "2.0", got "1.0".'],
  ["no version", request({ jsonrpc: undefined }), "bad", -32600, 'jsonrpc must be "2.0", got undefined.'],
  ["a method that is a number", request({ method: 1 }), "bad", -32600, "The method must be a string, got 1."],
  ["the id null", request({ id: null }), null, -32600, "the id must be a string or an integer"],
  ["an id that is a fraction", request({ id: 1.5 }), 1.5, -32600, "the id must be a string or an integer"],
  ["an id that JavaScript would round", request({ id: 2 ** 53 }), null, -32600, "Send it as a string"],
  ["an id that is an object", request({ id: {} }), null, -32600, "the id must be a string or an integer"],
  ["params that are a string", request({ params: "all" }), "bad", -32600, "params must be an object or an array"],
  ["params that are a number", request({ params: 1 }), "bad", -32600, "params must be an object or an array"],
  [
    "a hover without a document",
    request({ method: "textDocument/hover" }),
    "bad",
    -32602,
    "textDocument/hover: textDocument is missing",
  ],
  [
    "a completion without a position",
    request({ method: "textDocument/completion", params: { textDocument: { uri: "file:///a.pi.md" } } }),
    "bad",
    -32602,
    "textDocument/completion: position is missing",
  ],
  [
    "a code action with half a range",
    request({
      method: "textDocument/codeAction",
      params: { textDocument: { uri: "file:///a" }, range: { start: {} } },
    }),
    "bad",
    -32602,
    "range.start.line",
  ],
  [
    "bytes that are no UTF-8",
    frame(Buffer.from(state.replace("state", "st\xffte"), "latin1")),
    "bad",
    -32700,
    "not valid UTF-8",
  ],
  [
    "half a surrogate in UTF-8",
    frame(Buffer.from(state.replace("state", "st\xed\xa0\x80te"), "latin1")),
    "bad",
    -32700,
    "not valid UTF-8",
  ],
  [
    "a method that nobody knows",
    request({ method: "textDocument/hoover" }),
    "bad",
    -32601,
    'There is no method "textDocument/hoover".',
  ],
  ["a $ method that nobody knows", request({ method: "$/hoover" }), "bad", -32601, "There is no method"],
  [
    "an answer to a dialog as a request",
    request({ method: "pi/extension_ui_response" }),
    "bad",
    -32601,
    "pi/extension_ui_response is not a method.",
  ],
  ["an inherited name", request({ method: "pi/__proto__" }), "bad", -32601, "pi/__proto__ is not a method."],
  ["no name", request({ method: "pi/" }), "bad", -32601, "pi/ is not a method."],
  [
    "a name with capitals",
    request({ method: "pi/getState" }),
    "bad",
    -32601,
    "pi/getState is not a method. Did you mean pi/get_state?",
  ],
  ["a name with a slash", request({ method: "pi/get_state/now" }), "bad", -32601, "is not a method"],
  ["a name of a megabyte", request({ method: `pi/${"x".repeat(1 << 20)}!` }), "bad", -32601, "is not a method"],
  [
    "an id in the params",
    request({ method: "pi/get_state", params: { id: 1 } }),
    "bad",
    -32602,
    '"id" is set by the bridge',
  ],
  [
    "a type in the params",
    request({ method: "pi/get_state", params: { type: "bash" } }),
    "bad",
    -32602,
    '"type" is set by the bridge',
  ],
  [
    "an id for a command that nobody knows",
    request({ method: "pi/levitate", params: { id: 1 } }),
    "bad",
    -32602,
    '"id" is set by the bridge',
  ],
  [
    "positional params for a command",
    request({ method: "pi/get_entries", params: ["e1"] }),
    "bad",
    -32602,
    "pi/get_entries",
  ],
  ["a second initialize", request({ method: "initialize", params: {} }), "bad", -32600, "initialize was sent before"],
  ["executeCommand without params", request({ method: "workspace/executeCommand" }), "bad", -32602, "command"],
  [
    "executeCommand of nothing",
    request({ method: "workspace/executeCommand", params: { command: "pi.bridge.hoover" } }),
    "bad",
    -32602,
    "pi.bridge.hoover",
  ],
  [
    "executeCommand of another's",
    request({ method: "workspace/executeCommand", params: { command: "vim.quit" } }),
    "bad",
    -32602,
    "vim.quit",
  ],
  [
    "executeCommand with too many arguments",
    request({ method: "workspace/executeCommand", params: { command: "pi.abort", arguments: [1] } }),
    "bad",
    -32602,
    "pi.abort takes no arguments, got 1.",
  ],
];

test("each fault is answered with an error that says what it is; the bridge goes on, and pi is not even started", async () => {
  const editor = await stock();
  for (const [name, sent, id, code, message] of faults) {
    const from = editor.received.length;
    editor.bytes(sent);
    const answer = await editor.until(({ method }) => method === undefined, from);
    expect({ id: answer.id, error: answer.error }, name).toMatchObject({
      id,
      error: { code, message: expect.stringContaining(message) },
    });
    expect(await editor.request("bridge/state"), name).toMatchObject({ result: { phase: "stopped" } });
    const answers = editor.received.slice(from).filter(({ method }) => method === undefined);
    expect(answers.length, `${name}: one error, and the answer to what came after it`).toBe(2);
  }
  expect(editor.fakeLog).toEqual([]);
});

/** What nobody waits for: no answer, a note at most. */
const notes: [name: string, sent: Buffer][] = [
  ["an answer that nobody waits for", json({ jsonrpc: "2.0", id: 999, result: 1 })],
  ["an error that nobody waits for", json({ jsonrpc: "2.0", id: null, error: { code: 1, message: "oh" } })],
  ["a notification that nobody knows", json({ jsonrpc: "2.0", method: "$/hoover", params: {} })],
  ["a notification with params that are a string", json({ jsonrpc: "2.0", method: "initialized", params: "x" })],
  ["a notification without a version", json({ method: "initialized" })],
  ["a cancellation without an id", json({ jsonrpc: "2.0", method: "$/cancelRequest" })],
  ["a cancellation of an object", json({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: {} } })],
  ["a trace value that does not exist", json({ jsonrpc: "2.0", method: "$/setTrace", params: { value: "loud" } })],
  [
    "a configuration that is none",
    json({ jsonrpc: "2.0", method: "workspace/didChangeConfiguration", params: { settings: 1 } }),
  ],
  [
    "an opt-in that is none",
    json({ jsonrpc: "2.0", method: "workspace/didChangeConfiguration", params: { settings: { pi: { events: 1 } } } }),
  ],
];

test("what is no request has no answer", async () => {
  const editor = await stock();
  for (const [name, sent] of notes) {
    const from = editor.received.length;
    editor.bytes(sent);
    expect(await editor.request("bridge/state"), name).toHaveProperty("result");
    const rest = editor.received.slice(from).filter(({ method }) => method !== "window/logMessage");
    expect(rest.length, name).toBe(1);
  }
});

/** Unusual, and right. */
const fine: [name: string, sent: Buffer][] = [
  ["an id that is a string", request({})],
  ["params that are null", request({ params: null })],
  ["params that are an empty array", request({ params: [] })],
  ["a header in small letters", bytes(`content-length:${state.length}\r\n\r\n${state}`)],
  ["header lines that end with LF", bytes(`Content-Length: ${state.length}\n\n${state}`)],
  [
    "another header before",
    bytes(`Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: ${state.length}\r\n\r\n${state}`),
  ],
  ["another header after", bytes(`Content-Length: ${state.length}\r\nX-Mood: good\r\n\r\n${state}`)],
  ["empty lines between messages", bytes(`\r\n\r\nContent-Length: ${state.length}\r\n\r\n${state}`)],
  ["white space around the JSON", frame(` \n${state}\r\n `)],
];

test("what is only unusual works", async () => {
  const editor = await stock();
  for (const [name, sent] of fine) {
    const from = editor.received.length;
    editor.bytes(sent);
    expect(await editor.answerTo("bad", from), name).toMatchObject({ result: { phase: "stopped" } });
  }
});

/** A Content-Length that is off by so many bytes costs its message, and at most the next one. */
test.for([-7, -1, 1, 7, 40])("a Content-Length that is off by %i bytes does not cost the connection", async (off) => {
  const editor = await stock();
  editor.bytes(`Content-Length: ${state.length + off}\r\n\r\n${state}`);
  editor.bytes(frame('{"jsonrpc":"2.0","id":"next","method":"bridge/state"}'));
  expect(await editor.request("bridge/state")).toHaveProperty("result");
  const errors = editor.received.filter(({ error }) => error);
  expect(errors.length).toBeGreaterThan(0);
  for (const { id, error } of errors) expect({ id, code: error?.code }).toEqual({ id: null, code: -32700 });
});

test.for([
  ["a length beyond all measure", bytes("Content-Length: 99999999999999\r\n\r\n"), "exceeds"],
  ["a megabyte of junk", bytes("junk\n".repeat(300_000)), "no Content-Length header within"],
  ["a megabyte of junk in one line", bytes("j".repeat(1_500_000)), "no Content-Length header within"],
] as const)("%s ends the bridge: one line on stderr, and exit code 1", async ([, sent, reason]) => {
  const editor = await stock();
  editor.bytes(sent);
  const ended = await editor.bridge.ended;
  expect(ended).toEqual({ code: 1, signal: null, stderr: expect.stringMatching(/^pi-language-server: [^\n]*\n$/) });
  expect(ended.stderr).toContain(reason);
});

test("nothing but initialize and rpc.discover is answered before initialize", async () => {
  const editor = connect();
  const early = { error: { code: -32002, message: expect.stringContaining("before initialize") } };
  expect(await editor.request("pi/get_state")).toEqual(early);
  expect(await editor.request("shutdown")).toEqual(early);
  expect(await editor.request("hoover")).toEqual(early);
  editor.notify("pi/get_state");
  editor.notify("workspace/didChangeConfiguration", { settings: { pi: { events: true } } });
  expect(await editor.request("rpc.discover")).toMatchObject({ result: { openrpc: expect.any(String) } });
  expect(await editor.request("initialize", initializeParams(editor, fakePi, []))).toHaveProperty("result");
});

test("a failed initialize may be tried again", async () => {
  const editor = connect();
  const wrong = initializeParams(editor, fakePi, [], { initializationOptions: { session: "newest" } });
  expect(await editor.request("initialize", wrong)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("session"), data: { kind: "invalid_params" } },
  });
  expect(await editor.request("pi/get_state")).toMatchObject({ error: { code: -32002 } });
  expect(await editor.request("initialize", initializeParams(editor, fakePi, []))).toHaveProperty("result");
});

test("nothing but exit is heard after shutdown", async () => {
  const editor = await stock();
  await editor.shutDown();
  const late = { error: { code: -32600, message: expect.stringContaining("after shutdown") } };
  expect(await editor.request("pi/get_state")).toEqual(late);
  expect(await editor.request("bridge/state")).toEqual(late);
  expect(await editor.request("shutdown")).toEqual(late);
  expect(await editor.request("initialize", {})).toEqual(late);
});

test("an id that is still in use is refused, as a number and as a text; the first request is not answered by it", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_messages" }, as: "slow" },
    { expect: { type: "get_tree" }, reply: {} },
    { to: "slow", reply: { messages: [] } },
  ]);
  const slow = editor.request("pi/get_messages", {}, 7);
  // The text is another id, with an answer of its own; the number would get a second one.
  for (const [id, answered] of [
    [7, null],
    ["7", "7"],
  ] as const) {
    const refused = editor.answerTo(answered);
    editor.send({ jsonrpc: "2.0", id, method: "pi/get_state" });
    expect(await refused).toEqual({
      error: { code: -32600, message: "pi/get_state: a request with the id 7 is still open." },
    });
  }
  await editor.call("pi/get_tree");
  expect(await slow).toEqual({ result: { messages: [] } });
});

test("an image that is too large is refused, and pi is not troubled", async () => {
  const editor = await talkTo(fakePi, [{ expect: { type: "get_messages" }, reply: { messages: [] } }]);
  const images = [{ type: "image", data: "A".repeat(20 << 20), mimeType: "image/png" }];
  const bytes = JSON.stringify({ message: "What is this?", images, id: "r1", type: "prompt" }).length;
  expect(await editor.request("pi/prompt", { message: "What is this?", images })).toMatchObject({
    error: { code: -32602, data: { kind: "too_large", bytes, limit: 8 << 20 } },
  });
  expect(await editor.request("pi/get_messages")).toEqual({ result: { messages: [] } });
});

test("the limit can be set", async () => {
  const line = JSON.stringify({ message: "x".repeat(1800), id: "r1", type: "prompt" });
  const initializationOptions = { maxCommandBytes: 2000 };
  const editor = await talkTo(fakePi, [{ expect: { type: "prompt" }, reply: null }], { initializationOptions });
  expect(line.length).toBeLessThan(2000);
  expect(await editor.request("pi/prompt", { message: "x".repeat(1800) })).toEqual({ result: null });
  expect(await editor.request("pi/prompt", { message: "x".repeat(2000) })).toMatchObject({
    error: { code: -32602, data: { kind: "too_large", limit: 2000 } },
  });
});
