import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandName, commands } from "../../src/protocol/commands.ts";
import { pis } from "../support/pis.ts";
import { FAKE_STATE, FAKE_STATS, type Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { send } from "../support/traces.ts";

/** Every command once, in an order in which each can succeed. `executeCommand` gets them in the same words. */
function everyCommand(
  editor: Talk,
  session: { file: string; entry: string },
): [CommandName, Record<string, unknown>][] {
  return [
    ["get_state", {}],
    ["get_messages", {}],
    ["get_entries", {}],
    ["get_tree", {}],
    ["get_fork_messages", {}],
    ["get_last_assistant_text", {}],
    ["get_session_stats", {}],
    ["get_commands", {}],
    ["get_available_models", {}],
    ["get_available_thinking_levels", {}],
    ["set_thinking_level", { level: "high" }],
    ["cycle_thinking_level", {}],
    ["cycle_model", {}],
    ["set_model", { provider: "scripted", modelId: "script" }],
    ["set_steering_mode", { mode: "all" }],
    ["set_follow_up_mode", { mode: "one-at-a-time" }],
    ["set_auto_compaction", { enabled: false }],
    ["set_auto_retry", { enabled: false }],
    ["set_session_name", { name: "all of them" }],
    ["bash", { command: "true" }],
    ["abort_bash", {}],
    ["abort_retry", {}],
    ["steer", { message: "say: steered" }],
    ["follow_up", { message: "say: followed" }],
    ["clear_queue", {}],
    ["export_html", { outputPath: join(editor.sandbox.root, "session.html") }],
    ["clone", {}],
    ["fork", { entryId: session.entry }],
    ["switch_session", { sessionPath: session.file }],
    ["compact", { customInstructions: "say: short" }],
    ["prompt", { message: "/release" }],
    ["abort", {}],
    ["new_session", { parentSession: session.file }],
  ];
}

/** What the fake pi answers: the example of the documentation, which is pi's own shape. */
const example = (name: CommandName): unknown => commands[name].example.result;

/** Commands that the fake pi answers from its state. */
const FROM_STATE: Partial<Record<CommandName, unknown>> = { get_state: FAKE_STATE, get_session_stats: FAKE_STATS };

function answerTo(name: CommandName, params: Record<string, unknown>): Step[] {
  return name in FROM_STATE ? [] : [{ exactly: { type: name, ...params }, reply: example(name) }];
}

async function twoAnswers(editor: Talk): Promise<{ file: string; entry: string }> {
  for (const text of ["one", "two"]) {
    const from = editor.received.length;
    await editor.call("pi/prompt", { message: `say: ${text}` });
    await editor.until("pi/agent_settled", from);
  }
  const { sessionFile } = (await editor.call("pi/get_state")) as { sessionFile: string };
  const { messages } = (await editor.call("pi/get_fork_messages")) as { messages: { entryId: string }[] };
  return { file: sessionFile, entry: messages[0]?.entryId ?? "" };
}

const beginning: Step[] = [
  ...["one", "two"].flatMap((): Step[] => [
    { expect: { type: "prompt" }, reply: { disposition: "started" } },
    send("agent_settled", { aborted: false }),
  ]),
  { expect: { type: "get_fork_messages" }, reply: { messages: [{ entryId: "e1", text: "one" }] } },
];

describe.each(pis)("$name", (pi) => {
  test("every command is answered once, in the shape that the table says", async () => {
    const sandboxed = await talkTo(pi);
    const rows = everyCommand(sandboxed, { file: FAKE_STATE.sessionFile, entry: "e1" });
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(commands).toSorted());
    const editor = await talkTo(pi, [...beginning, ...rows.flatMap(([name, params]) => answerTo(name, { ...params }))]);
    const session = await twoAnswers(editor);
    for (const [name, params] of everyCommand(sandboxed, session)) {
      const answer = await editor.request(`pi/${name}`, params);
      if (name === "clear_queue" && !pi.has("1.6.0")) {
        expect(answer).toMatchObject({ error: { code: -32601 } });
        continue;
      }
      expect(answer, name).toHaveProperty("result");
      const { result } = answer as { result: unknown };
      const shape = commands[name].result().safeParse(result);
      expect(shape.error?.message, `${name}: ${JSON.stringify(result)}`).toBeUndefined();
      if (pi.isFake) expect(result, name).toEqual(FROM_STATE[name] ?? example(name));
    }
  });

  test("a command that pi refuses", async () => {
    const refusals: [CommandName, Record<string, unknown>, string][] = [
      ["set_model", { provider: "nobody", modelId: "nothing" }, "Model not found: nobody/nothing"],
      ["get_entries", { since: "nothing" }, "Entry not found: nothing"],
      ["fork", { entryId: "nothing" }, "Invalid entry ID for forking"],
    ];
    const editor = await talkTo(
      pi,
      refusals.map(([type, params, reject]) => ({ exactly: { type, ...params }, reject })),
    );
    for (const [command, params, message] of refusals) {
      expect(await editor.request(`pi/${command}`, params)).toEqual({
        error: { code: -32803, message, data: { kind: "rejected", command } },
      });
    }
  });

  test("a command that nobody knows goes to pi, which may be newer than the table", async () => {
    const editor = await talkTo(pi, [
      { exactly: { type: "set_modell", provider: "a" }, reject: "Unknown command: set_modell" },
      { exactly: { type: "levitate", height: 3 }, reject: "Unknown command: levitate" },
    ]);
    expect(await editor.request("pi/set_modell", { provider: "a" })).toEqual({
      error: { code: -32601, message: 'pi does not know the command "set_modell". Did you mean pi/set_model?' },
    });
    expect(await editor.request("pi/levitate", { height: 3 })).toEqual({
      error: { code: -32601, message: 'pi does not know the command "levitate".' },
    });
  });

  test("workspace/executeCommand: parameters by name, by position, and none", async () => {
    const calls: [
      command: string,
      args: unknown[] | undefined,
      sent: { type: CommandName } & Record<string, unknown>,
    ][] = [
      ["pi.set_thinking_level", [{ level: "low" }], { type: "set_thinking_level", level: "low" }],
      ["pi.set_thinking_level", ["high"], { type: "set_thinking_level", level: "high" }],
      ["pi.set_model", ["scripted", "plain"], { type: "set_model", provider: "scripted", modelId: "plain" }],
      ["pi.set_auto_retry", [true], { type: "set_auto_retry", enabled: true }],
      ["pi.bash", ["true", true], { type: "bash", command: "true", excludeFromContext: true }],
      ["pi.get_messages", undefined, { type: "get_messages" }],
      ["pi.get_messages", [], { type: "get_messages" }],
      ["pi.get_messages", [null], { type: "get_messages" }],
      ["pi.new_session", [{}], { type: "new_session" }],
      ["pi.prompt", ["/release", null], { type: "prompt", message: "/release" }],
    ];
    const editor = await talkTo(
      pi,
      calls.map(([, , sent]) => ({ exactly: sent, reply: example(sent.type) })),
    );
    for (const [command, args, { type }] of calls) {
      const params = { command, ...(args && { arguments: args }) };
      const answer = await editor.request("workspace/executeCommand", params);
      expect(answer, command).toHaveProperty("result");
      if (pi.isFake) expect(answer, command).toEqual({ result: example(type) });
    }
    expect(await editor.request("workspace/executeCommand", { command: "pi.bridge.state" })).toMatchObject({
      result: { phase: "ready" },
    });
  });
});
