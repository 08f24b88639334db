import { expect, test } from "vitest";
import { type CommandName, commands } from "../../src/protocol/commands.ts";
import { fakePi } from "../support/pis.ts";
import { talkTo } from "../support/talk.ts";

type Row = [params: unknown, path: (string | number)[], message: string];

const image = { type: "image", data: "AAAA", mimeType: "image/png" };
const message: Row[] = [
  [{}, ["message"], "message is missing (a string is expected)"],
  [{ message: null }, ["message"], "message must be a string, got null"],
  [{ message: 5 }, ["message"], "message must be a string, got 5"],
  [{ message: ["hi"] }, ["message"], 'message must be a string, got ["hi"]'],
  [{ mesage: "hi", message: "hi" }, ["mesage"], 'unknown key "mesage" (did you mean "message"?)'],
  [{ message: "hi", images: "cat.png" }, ["images"], 'images must be an array, got "cat.png"'],
  [{ message: "hi", images: image }, ["images"], "images must be an array"],
  [{ message: "hi", images: [{ ...image, type: "video" }] }, ["images", 0, "type"], 'must be "image", got "video"'],
  [
    { message: "hi", images: [image, { type: "image", data: "AAAA" }] },
    ["images", 1, "mimeType"],
    "images.1.mimeType is missing",
  ],
  [
    { message: "hi", images: [{ ...image, mimetype: 1 }] },
    ["images", 0, "mimetype"],
    'unknown key "images.0.mimetype"',
  ],
];
const mode: Row[] = [
  [{}, ["mode"], 'mode must be one of "all", "one-at-a-time"'],
  [{ mode: "bogus" }, ["mode"], 'mode must be one of "all", "one-at-a-time", got "bogus"'],
  [{ mode: "All" }, ["mode"], '(did you mean "all"?)'],
  [{ mode: true }, ["mode"], "got true"],
];
const enabled: Row[] = [
  [{}, ["enabled"], "enabled is missing (a boolean is expected)"],
  [{ enabled: "yes" }, ["enabled"], 'enabled must be a boolean, got "yes"'],
  [{ enabled: 1 }, ["enabled"], "enabled must be a boolean, got 1"],
  [{ enable: true }, ["enable"], 'unknown key "enable" (did you mean "enabled"?)'],
];

/** What is wrong with each command: all of these, and for every one of them what `common` has. */
const wrong: Record<CommandName, Row[]> = {
  prompt: [
    ...message,
    [{ message: "hi", streamingBehavior: "followup" }, ["streamingBehavior"], '(did you mean "followUp"?)'],
    [{ message: "hi", streamingBehavior: null }, ["streamingBehavior"], 'must be one of "steer", "followUp", got null'],
  ],
  steer: [...message, [{ message: "hi", streamingBehavior: "steer" }, ["streamingBehavior"], "unknown key"]],
  follow_up: message,
  abort: [],
  clear_queue: [],
  new_session: [[{ parentSession: 1 }, ["parentSession"], "parentSession must be a string, got 1"]],
  get_state: [],
  get_messages: [],
  set_model: [
    [{}, ["provider"], "provider is missing (a string is expected)"],
    [{ provider: "a" }, ["modelId"], "modelId is missing (a string is expected)"],
    [{ provider: "a", modelId: null }, ["modelId"], "modelId must be a string, got null"],
    [{ provider: "a", modelid: "b" }, ["modelid"], 'unknown key "modelid" (did you mean "modelId"?)'],
  ],
  cycle_model: [],
  get_available_models: [],
  set_thinking_level: [
    [{}, ["level"], 'level must be one of "off", "minimal", "low", "medium", "high", "xhigh", "max"'],
    [{ level: "bogus" }, ["level"], 'got "bogus"'],
    [{ level: "hgh" }, ["level"], '(did you mean "high"?)'],
  ],
  cycle_thinking_level: [],
  get_available_thinking_levels: [],
  set_steering_mode: mode,
  set_follow_up_mode: mode,
  compact: [[{ customInstructions: {} }, ["customInstructions"], "customInstructions must be a string, got {}"]],
  set_auto_compaction: enabled,
  set_auto_retry: enabled,
  abort_retry: [],
  bash: [
    [{}, ["command"], "command is missing (a string is expected)"],
    [{ command: ["ls"] }, ["command"], 'command must be a string, got ["ls"]'],
    [{ cmd: "ls", command: "ls" }, ["cmd"], 'unknown key "cmd"'],
    [{ command: "ls", excludeFromContext: "no" }, ["excludeFromContext"], 'must be a boolean, got "no"'],
  ],
  abort_bash: [],
  get_session_stats: [],
  export_html: [[{ outputPath: 1 }, ["outputPath"], "outputPath must be a string, got 1"]],
  switch_session: [
    [{}, ["sessionPath"], "sessionPath is missing (a string is expected)"],
    [{ path: "a" }, ["path"], 'unknown key "path"'],
  ],
  fork: [
    [{}, ["entryId"], "entryId is missing (a string is expected)"],
    [{ entryid: "a" }, ["entryid"], '(did you mean "entryId"?)'],
  ],
  clone: [],
  get_fork_messages: [],
  get_entries: [[{ since: 1 }, ["since"], "since must be a string, got 1"]],
  get_tree: [],
  get_last_assistant_text: [],
  set_session_name: [
    [{}, ["name"], "name is missing (a string is expected)"],
    [{ name: 1 }, ["name"], "name must be a string, got 1"],
  ],
  get_commands: [],
};

test.for(Object.entries(wrong) as [CommandName, Row[]][])(
  "%s: what is wrong with its parameters is said, and pi is not even started",
  async ([command, rows]) => {
    const editor = await talkTo(fakePi, [], { optIn: null, inMemory: true });
    const right = commands[command].example.params as object;
    const common: Row[] = [
      [{ ...right, id: "x" }, ["id"], '"id" is set by the bridge and cannot be given'],
      [{ ...right, type: command }, ["type"], '"type" is set by the bridge and cannot be given'],
      [{ ...right, zzz: 1 }, ["zzz"], 'unknown key "zzz"'],
      [["hi", 1], [], "params must be an object"],
    ];
    for (const [params, path, text] of [...rows, ...common]) {
      const what = `pi/${command} ${JSON.stringify(params)}`;
      const answer = await editor.request(`pi/${command}`, params);
      expect(answer, what).toMatchObject({
        error: {
          code: -32602,
          message: expect.stringContaining(text),
          data: { kind: "invalid_params", issues: expect.arrayContaining([{ path, message: expect.any(String) }]) },
        },
      });
      const { message } = (answer as { error: { message: string } }).error;
      expect(message.startsWith(`pi/${command}: `), message).toBe(true);
    }
    expect(editor.fakeLog).toEqual([]);
  },
);

test("several faults are told at once", async () => {
  const editor = await talkTo(fakePi, [], { optIn: null, inMemory: true });
  expect(await editor.request("pi/set_model", { provider: 1, model: "b" })).toEqual({
    error: {
      code: -32602,
      message:
        "pi/set_model: provider must be a string, got 1; modelId is missing (a string is expected); " +
        'unknown key "model" (it takes provider, modelId)',
      data: {
        kind: "invalid_params",
        issues: [
          { path: ["provider"], message: "provider must be a string, got 1" },
          { path: ["modelId"], message: "modelId is missing (a string is expected)" },
          { path: ["model"], message: 'unknown key "model" (it takes provider, modelId)' },
        ],
      },
    },
  });
});

/** Absent, null, {} and [] all mean no parameters: Lua knows no other empty table. */
test.for([undefined, null, {}, []])("%j means no parameters", async (params) => {
  const editor = await talkTo(fakePi, [{ exactly: { type: "get_messages" }, reply: { messages: [] } }], {
    inMemory: true,
  });
  expect(await editor.request("pi/get_messages", params)).toEqual({ result: { messages: [] } });
});
