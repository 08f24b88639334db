import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { talkTo } from "../support/talk.ts";

const raw = String.raw;

/** Records as pi writes them, or might one day: all their bytes are the params of the notification. */
const records: [name: string, method: string, record: string][] = [
  ["numbers that JavaScript cannot hold", "pi/note", '{"type":"note","n":12345678901234567890,"f":1.10,"e":1E400}'],
  ["members in another order", "pi/agent_settled", '{"aborted":false,"type":"agent_settled"}'],
  ["white space", "pi/agent_settled", '{ "type" : "agent_settled" ,\t"aborted" : false }'],
  ["an escaped name", "pi/agent_settled", raw`{"\u0074ype":"agent_settled"}`],
  ["an escaped type", "pi/agent_settled", raw`{"type":"agent_\u0073ettled"}`],
  ["a member that is there twice", "pi/agent_settled", '{"x":1,"type":"turn_end","type":"agent_settled"}'],
  ["line ends that are none", "pi/note", '{"type":"note","text":"a\u2028b\u2029c\u0085d"}'],
  ["an event that nobody knows", "pi/sang_a_song", '{"type":"sang_a_song","verses":[1,2,{"a":null}]}'],
  ["a type that is no plain word", "pi/Sang-a song/2", '{"type":"Sang-a song/2"}'],
  ["a response within an event", "pi/note", '{"type":"note","data":{"type":"response","id":"r1","success":true}}'],
  ["half a surrogate", "pi/note", raw`{"type":"note","text":"\ud83e"}`],
  [
    "an announcement that nobody knows",
    "pi/ui/sing",
    '{"type":"extension_ui_request","id":"x","method":"sing","song":1.0}',
  ],
];

test("a record leaves as the bytes that it came in", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, as: "go" },
    ...records.map(([, , record]) => ({ raw: `${record}\n` })),
    { to: "go", reply: null },
  ]);
  await editor.call("pi/get_tree");
  const got = editor.received.filter(({ method }) => method?.startsWith("pi/"));
  expect(got.length).toBe(records.length);
  for (const [at, [name, method, record]] of records.entries()) {
    expect(got[at]?.text, name).toBe(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${record}}`);
  }
});

/** Answers in the words of a pi that puts them together in another way, and the result that the editor gets. */
const answers: [name: string, answer: string, result: string][] = [
  ["pi's own order", '{"id":"$p","type":"response","command":"get_tree","success":true,"data":{"n":1.0}}', '{"n":1.0}'],
  ["without data", '{"id":"$p","type":"response","command":"get_tree","success":true}', "null"],
  ["data that are null", '{"id":"$p","type":"response","command":"get_tree","success":true,"data":null}', "null"],
  [
    "another order",
    '{"data":{"n":12345678901234567890},"success":true,"id":"$p","command":"get_tree","type":"response"}',
    '{"n":12345678901234567890}',
  ],
  [
    "white space",
    '{ "id": "$p", "type": "response", "command": "get_tree", "success": true, "data": [ 1 , 2 ] }',
    "[ 1 , 2 ]",
  ],
  [
    "data that are a text",
    '{"id":"$p","type":"response","command":"get_tree","success":true,"data":"\\"}{\\u2028"}',
    '"\\"}{\\u2028"',
  ],
  ["data that are false", '{"id":"$p","type":"response","command":"get_tree","success":true,"data":false}', "false"],
];

test("an answer's data are the result, byte for byte", async () => {
  const editor = await talkTo(
    fakePi,
    answers.flatMap(([, answer]) => [{ expect: { type: "get_tree" }, as: "p" }, { raw: `${answer}\n` }]),
  );
  for (const [at, [name, , result]] of answers.entries()) {
    await editor.request("pi/get_tree", {}, `a${at}`);
    const { text } = await editor.until(({ id }) => id === `a${at}`);
    const wanted = `{"jsonrpc":"2.0","id":"a${at}","result":${result}}`;
    expect(text.replaceAll(" ", ""), name).toBe(wanted.replaceAll(" ", ""));
  }
});

test("a member that a later pi puts behind the data is not part of the result", async () => {
  const answer = '{"id":"$p","type":"response","command":"get_tree","success":true,"data":{"a":"}"},"took":3}';
  const editor = await talkTo(fakePi, [{ expect: { type: "get_tree" }, as: "p" }, { raw: `${answer}\n` }]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: { a: "}" } });
});

/** Lines that are no records: noted, passed over, and of no consequence. */
const foreign = [
  "Welcome to the box!",
  "",
  "[1,2]",
  "5",
  "null",
  '{"no":"type"}',
  '{"type":5}',
  '{"type":"note"',
  "\ufeff{}",
];

test("foreign lines on pi's stdout, before it is ready and later, are logged and passed over", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x0a]).toString("base64");
  const lines = [...foreign.map((line) => ({ raw: `${line}\n` })), { base64: bytes }];
  const editor = await talkTo(fakePi, [
    ...lines,
    { expect: { type: "get_tree" }, as: "go" },
    ...lines,
    { send: { type: "note" } },
    { to: "go", reply: { fine: true } },
  ]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: { fine: true } });
  expect(editor.received.flatMap(({ method }) => (method?.startsWith("pi/") ? method : []))).toEqual(["pi/note"]);
  const logged = editor.all("window/logMessage").map(({ params }) => params.message);
  expect(logged.filter((text) => String(text).includes("Welcome to the box!")).length).toBe(2);
});

test("CRLF, and answers to nobody", async () => {
  const editor = await talkTo(fakePi, [
    { raw: '{"id":"nobody","type":"response","command":"get_tree","success":true}\r\n' },
    { raw: '{"type":"response","command":"parse","success":false,"error":"Failed to parse command"}\r\n' },
    { expect: { type: "get_tree" }, as: "p" },
    { raw: '{"type":"note"}\r\n{"id":"$p","type":"response","command":"get_tree","success":true,"data":{}}\r\n' },
  ]);
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  expect((await editor.until("pi/note")).text).toBe('{"jsonrpc":"2.0","method":"pi/note","params":{"type":"note"}}');
});

test("an answer without an id belongs to the oldest command of its name", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { expect: { type: "get_entries" } },
    { expect: { type: "get_tree" }, as: "second" },
    { raw: '{"type":"response","command":"get_entries","success":true,"data":{"entries":[]}}\n' },
    { to: "second", reply: 2 },
    { raw: '{"type":"response","command":"get_tree","success":false,"error":"too deep"}\n' },
  ]);
  const [first, entries, second] = ["get_tree", "get_entries", "get_tree"].map((name) => editor.request(`pi/${name}`));
  expect(await second).toEqual({ result: 2 });
  expect(await entries).toEqual({ result: { entries: [] } });
  expect(await first).toMatchObject({
    error: { message: "too deep", data: { kind: "rejected", command: "get_tree" } },
  });
});

test("a response of many megabytes, and a flood of records around it, arrive whole and in order", async () => {
  const megabytes = 16 << 20;
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_messages" }, as: "large" },
    { send: { type: "note", n: "$n" }, times: 2000 },
    { to: "large", bulk: megabytes },
    { send: { type: "note", n: "$n" }, times: 2000 },
    { send: { type: "agent_settled" } },
  ]);
  const large = editor.request("pi/get_messages", {}, "large");
  const { result } = (await large) as { result: { filler: string } };
  expect(result.filler).toBe("x".repeat(megabytes));
  await editor.until("pi/agent_settled");
  const order = editor.received.flatMap(({ method, id, params }) =>
    method === "pi/note" ? Number(params.n) : id === "large" ? "large" : [],
  );
  const numbers = Array.from({ length: 2000 }, (_, at) => at);
  expect(order).toEqual([...numbers, "large", ...numbers]);
});

test("an editor that reads late loses nothing", async () => {
  const count = 20_000;
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" }, as: "go" },
    { send: { type: "note", n: "$n", text: "x".repeat(1000) }, times: count },
    { to: "go", reply: null },
    { expect: { type: "get_entries" }, reply: null },
  ]);
  const go = editor.request("pi/get_tree");
  await editor.until("pi/note");
  editor.bridge.pause();
  const late = editor.request("pi/get_entries");
  editor.bridge.resume();
  await Promise.all([go, late]);
  const numbers = editor.all("pi/note").map(({ params }) => Number(params.n));
  expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at));
});
