import { expect, test } from "vitest";
import { Player, type PlayerOptions } from "../../src/trace/player.ts";
import { readSteps } from "../../src/trace/steps.ts";

class Exit extends Error {}

/** Plays the first start of a trace; `commands` come one after the other, each when nothing else happens. */
async function played(trace: readonly string[], commands: readonly object[], options: PlayerOptions = {}) {
  const out: string[] = [];
  const stop = (what: string): never => {
    out.push(what);
    throw new Exit(what);
  };
  const [steps = []] = readSteps(trace.join("\n"));
  const player = new Player(
    steps,
    {
      write: async (bytes) => void out.push(bytes.toString().trimEnd()),
      stderr: async (text) => void out.push(`stderr ${text}`),
      exit: async (code) => stop(`exit ${code}`),
      kill: async (signal) => stop(`kill ${signal}`),
      fail: (text) => stop(`failed: ${text}`),
    },
    options,
  );
  const quiet = (error: unknown) => {
    if (!(error instanceof Exit)) throw error;
  };
  const end = player.play().catch(quiet);
  for (const command of commands) {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      player.receive(JSON.stringify(command));
    } catch (error) {
      quiet(error);
    }
  }
  await new Promise((resolve) => setImmediate(resolve));
  void end;
  return out;
}

const line = (members: string) => `{"time":"2026-01-30T16:02:11.030Z",${members}}`;
const toPi = (json: string) => line(`"toPi":${json}`);
const fromPi = (json: string) => line(`"fromPi":${json}`);
const ok = (id: string, command: string, data = "") =>
  `{"id":"${id}","type":"response","command":"${command}","success":true${data && `,"data":${data}`}}`;

const prompt = [
  toPi('{"message":"hello","id":"r7","type":"prompt"}'),
  fromPi(ok("r7", "prompt", '{"disposition":"started"}')),
  fromPi('{"type":"agent_start"}'),
];

const rows: [what: string, trace: string[], commands: object[], out: string[]][] = [
  [
    "another text, another id: the command counts",
    prompt,
    [{ id: "r1", type: "prompt", message: "something else" }],
    [ok("r1", "prompt", '{"disposition":"started"}'), '{"type":"agent_start"}'],
  ],
  ["nothing comes before its command", prompt, [], []],
  [
    "an id behind the type, ids that are no command's, and numbers beyond JavaScript's",
    [
      toPi('{"command":"ls","id":"r7","type":"bash"}'),
      fromPi('{"type":"bash_execution_update","id":"r7","delta":"r7"}'),
      fromPi('{"type":"extension_ui_request","id":"r8","method":"confirm","n":12345678901234567890}'),
      fromPi('{"delta":"odd order","type":"bash_execution_update","id":"r7"}'),
    ],
    [{ id: "r1", type: "bash", command: "ls" }],
    [
      '{"type":"bash_execution_update","id":"r1","delta":"r7"}',
      '{"type":"extension_ui_request","id":"r8","method":"confirm","n":12345678901234567890}',
      '{"delta":"odd order","type":"bash_execution_update","id":"r1"}',
    ],
  ],
  [
    "commands in another order",
    [toPi('{"id":"r1","type":"a"}'), toPi('{"id":"r2","type":"b"}'), fromPi(ok("r2", "b")), fromPi(ok("r1", "a"))],
    [
      { id: "r1", type: "b" },
      { id: "r2", type: "a" },
    ],
    [ok("r1", "b"), ok("r2", "a")],
  ],
  [
    "the bridge's own questions are answered at any time, with the last answer so far; the editor's in their place",
    [
      fromPi('{"type":"early"}'),
      toPi('{"id":"ready","type":"get_state"}'),
      fromPi(ok("ready", "get_state", '{"sessionId":"one"}')),
      ...prompt,
      toPi('{"id":"b9","type":"get_session_stats"}'),
      toPi('{"id":"b8","type":"get_state"}'),
      fromPi(ok("b8", "get_state", '{"sessionId":"two"}')),
      fromPi(ok("b9", "get_session_stats", '{"cost":2}')),
      toPi('{"id":"r9","type":"get_state"}'),
      fromPi(ok("r9", "get_state", '{"sessionId":"three"}')),
    ],
    [
      { id: "ready", type: "get_state" },
      { id: "b1", type: "get_state" },
      { id: "r1", type: "get_state" },
      { id: "r2", type: "prompt", message: "x" },
      { id: "b2", type: "get_session_stats" },
    ],
    [
      '{"type":"early"}',
      ok("ready", "get_state", '{"sessionId":"one"}'),
      ok("b1", "get_state", '{"sessionId":"one"}'),
      ok("r2", "prompt", '{"disposition":"started"}'),
      '{"type":"agent_start"}',
      ok("r1", "get_state", '{"sessionId":"three"}'),
      ok("b2", "get_session_stats", '{"cost":2}'),
    ],
  ],
  [
    "a trace that begins in the middle: an answer whose command it does not have is left out",
    [fromPi(ok("r3", "get_messages", "{}")), fromPi('{"type":"response","command":"x","success":false}')],
    [],
    ['{"type":"response","command":"x","success":false}'],
  ],
  [
    "what the trace does not have is refused, by name; an answer to a dialog needs no answer",
    prompt,
    [
      { id: "r1", type: "compact" },
      { id: "x", type: "extension_ui_response", cancelled: true },
    ],
    [
      '{"id":"r1","type":"response","command":"compact","success":false,"error":"The trace has no compact from here on."}',
    ],
  ],
  [
    "an answer to a dialog is the one to this dialog",
    [
      toPi('{"type":"extension_ui_response","id":"two","value":"x"}'),
      fromPi('{"type":"second"}'),
      toPi('{"type":"extension_ui_response","id":"one","value":"x"}'),
      fromPi('{"type":"first"}'),
    ],
    [
      { type: "extension_ui_response", id: "one", value: "y" },
      { type: "extension_ui_response", id: "two", value: "y" },
    ],
    ['{"type":"second"}', '{"type":"first"}'],
  ],
  [
    "an answer to another dialog is not",
    [toPi('{"type":"extension_ui_response","id":"two","value":"x"}'), fromPi('{"type":"second"}')],
    [{ type: "extension_ui_response", id: "one", value: "y" }],
    [],
  ],
  [
    "foreign lines, stderr, what the bridge said, the end",
    [
      fromPi('"no record"'),
      line('"stderr":"oops\\n"'),
      line('"level":"info","log":"text"'),
      line('"exit":3'),
      ...prompt,
    ],
    [],
    ["no record", "stderr oops\n", "exit 3"],
  ],
  ["a signal", [line('"kill":"SIGSEGV"')], [], ["kill SIGSEGV"]],
];

test.for(rows)("%s", async ([, trace, commands, out]) => {
  expect(await played(trace, commands)).toEqual(out);
});

test("each start of pi begins a part; what the bridge says before the first is passed over", () => {
  const start = line('"start":["pi"]');
  const log = line('"level":"info","log":"text"');
  const one = fromPi('{"type":"one"}');
  const two = fromPi('{"type":"two"}');
  const types = (text: string[]) =>
    readSteps(text.join("\n")).map((steps) => steps.map((step) => JSON.stringify(step).match(/one|two/)?.[0]));
  expect(types([log, start, one, log, start, two, two])).toEqual([["one"], ["two", "two"]]);
  expect(types([one, start, "", two])).toEqual([["one"], ["two"]]);
  expect(types([one, '{"restart":true}', '{"restart":true}', two])).toEqual([["one"], [], ["two"]]);
});

test.for<[string, string]>([
  ['{"exit":1}\nnonsense', "line 2 is not JSON"],
  ['{"a":1}', 'line 1 is no step of a trace: {"a":1}'],
  ["[1]", "line 1 is not an object: [1]"],
  ["null", "line 1 is not an object: null"],
])("%j is no trace", ([text, reason]) => {
  expect(() => readSteps(text)).toThrow(reason);
});

const strict = { strict: true, state: { s: 1 }, stats: { t: 1 } };

test.for<[what: string, steps: object[], commands: object[], out: string[]]>([
  [
    "expectations are answered, by name also later",
    [
      { expect: { type: "bash", nested: { a: 1 } }, as: "first" },
      { exactly: { type: "prompt", message: "m" }, reply: { d: 1 } },
      { send: { type: "x", id: "$first", text: "$n $unknown" }, times: 2 },
      { to: "first", reject: "no" },
    ],
    [
      { id: "r1", type: "bash", nested: { a: 1, b: 2 }, more: 1 },
      { id: "r2", type: "prompt", message: "m" },
    ],
    [
      '{"id":"r2","type":"response","command":"prompt","success":true,"data":{"d":1}}',
      '{"type":"x","id":"r1","text":"0 $unknown"}',
      '{"type":"x","id":"r1","text":"1 $unknown"}',
      '{"id":"r1","type":"response","command":"bash","success":false,"error":"no"}',
    ],
  ],
  [
    "one member more than `exactly` has",
    [{ exactly: { type: "prompt", message: "m" } }],
    [{ id: "r1", type: "prompt", message: "m", more: 1 }],
    ['failed: expected {"type":"prompt","message":"m"}, got {"id":"r1","type":"prompt","message":"m","more":1}'],
  ],
  [
    "an id that `exactly` names",
    [{ exactly: { id: "r2", type: "prompt" } }],
    [{ id: "r1", type: "prompt" }],
    ['failed: expected {"id":"r2","type":"prompt"}, got {"id":"r1","type":"prompt"}'],
  ],
  [
    "another command than the next",
    [{ expect: { type: "a" } }, { expect: { type: "b" } }],
    [{ id: "r1", type: "b" }],
    ['failed: expected {"type":"a"}, got {"id":"r1","type":"b"}'],
  ],
  [
    "a command after the end",
    [{ expect: { type: "a" }, reply: null }],
    [
      { id: "r1", type: "a" },
      { id: "r2", type: "a" },
    ],
    [ok("r1", "a"), 'failed: nothing more is expected, got {"id":"r2","type":"a"}'],
  ],
  [
    "the state as it is set, or none",
    [{ expect: { type: "a" } }, { state: null }, { stats: { t: 2 } }],
    [
      { id: "r1", type: "get_state" },
      { id: "r2", type: "a" },
      { id: "r3", type: "get_state" },
      { id: "r4", type: "get_session_stats" },
    ],
    [ok("r1", "get_state", '{"s":1}'), ok("r4", "get_session_stats", '{"t":2}')],
  ],
])("strict: %s", async ([, steps, commands, out]) => {
  const scenario = steps.map((step) => JSON.stringify(step));
  expect(await played(scenario, commands, strict)).toEqual(out);
});
