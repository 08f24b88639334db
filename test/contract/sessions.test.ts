import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import { FAKE_STATE, type Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, ended, run, send, started } from "../support/traces.ts";

/** The fake pi is in this session from now on. */
const session = (name: string): Step => ({
  state: { ...FAKE_STATE, sessionId: name, sessionFile: `/nowhere/${name}.jsonl` },
});

interface State {
  sessionId: string;
  sessionFile: string;
}

const current = async (editor: Talk): Promise<State> => (await editor.call("pi/get_state")) as State;

/** Waits until `bridge/state` tells of the session. */
const tells = (editor: Talk, id: string) =>
  editor.until(({ method, params }) => {
    const told = params.session as { id: string } | undefined;
    return method === "bridge/state" && told?.id === id;
  });

async function say(editor: Talk, text: string): Promise<void> {
  const from = editor.received.length;
  await editor.call("pi/prompt", { message: `say: ${text}` });
  await editor.until("pi/agent_settled", from);
}

const said: Step[] = [answered("prompt", { disposition: "started" }), ...run({ text: ["…"] })];
const REPLACED = { result: { cancelled: false } };

describe.each(pis)("$name", (pi) => {
  test("new_session, and back with switch_session", async () => {
    const editor = await talkTo(pi, [
      session("first"),
      ...said,
      { exactly: { type: "new_session" }, as: "new" },
      session("second"),
      { to: "new", reply: { cancelled: false } },
      { expect: { type: "switch_session" }, as: "back" },
      session("first"),
      { to: "back", reply: { cancelled: false } },
      answered("get_last_assistant_text", { text: "one" }),
    ]);
    await say(editor, "one");
    const first = await current(editor);
    expect(await editor.request("pi/new_session")).toEqual(REPLACED);
    const second = await current(editor);
    expect(second.sessionId).not.toBe(first.sessionId);
    await tells(editor, second.sessionId);
    expect(await editor.request("pi/switch_session", { sessionPath: first.sessionFile })).toEqual(REPLACED);
    expect((await current(editor)).sessionId).toBe(first.sessionId);
    await tells(editor, first.sessionId);
    expect(await editor.call("pi/get_last_assistant_text")).toEqual({ text: "one" });
  });

  test("fork gives the text back and goes on before it; clone goes on after it", async () => {
    const editor = await talkTo(pi, [
      session("first"),
      ...said,
      answered("get_fork_messages", { messages: [{ entryId: "e1", text: "say: one" }] }),
      { exactly: { type: "clone" }, as: "clone" },
      session("second"),
      { to: "clone", reply: { cancelled: false } },
      { exactly: { type: "fork", entryId: "e1" }, as: "fork" },
      session("third"),
      { to: "fork", reply: { text: "say: one", cancelled: false } },
      answered("get_messages", { messages: [] }),
    ]);
    await say(editor, "one");
    const ids = [(await current(editor)).sessionId];
    const { messages } = (await editor.call("pi/get_fork_messages")) as {
      messages: { entryId: string; text: string }[];
    };
    expect(messages).toEqual([{ entryId: expect.any(String), text: "say: one" }]);
    expect(await editor.request("pi/clone")).toEqual(REPLACED);
    ids.push((await current(editor)).sessionId);
    expect(await editor.request("pi/fork", { entryId: messages[0]?.entryId })).toEqual({
      result: { text: "say: one", cancelled: false },
    });
    ids.push((await current(editor)).sessionId);
    expect(new Set(ids).size).toBe(3);
    const left = (await editor.call("pi/get_messages")) as { messages: { role: string }[] };
    expect(left.messages.filter(({ role }) => role === "user")).toEqual([]);
  });

  test("three new sessions in a row and what follows them stay in order", async () => {
    const sessions = ["first", "second", "third"];
    const editor = await talkTo(
      pi,
      sessions.flatMap((name) => [
        { expect: { type: "new_session" }, as: name },
        session(name),
        { to: name, reply: { cancelled: false } },
      ]),
    );
    const before = await current(editor);
    const requests = [
      ...sessions.map((name) => editor.request("pi/new_session", {}, name)),
      editor.request("pi/get_state", {}, "state"),
    ];
    const answers = await Promise.all(requests);
    expect(answers.slice(0, 3)).toEqual([REPLACED, REPLACED, REPLACED]);
    const order = editor.received.flatMap(({ id, method }) =>
      method === undefined && typeof id === "string" ? id : [],
    );
    expect(order).toEqual(["initialize", ...sessions, "state"]);
    const { sessionId } = (answers[3] as { result: State }).result;
    expect(sessionId).toBe((await current(editor)).sessionId);
    expect(sessionId).not.toBe(before.sessionId);
    await tells(editor, sessionId);
  });

  test("a session that an extension begins is told of", async () => {
    const editor = await talkTo(pi, [
      session("first"),
      { expect: { type: "prompt" }, as: "command" },
      session("second"),
      { to: "command", reply: { disposition: "handled" } },
    ]);
    const first = await current(editor);
    await editor.call("pi/prompt", { message: "/new" });
    const told = await editor.until(({ method, params }) => {
      const { id } = (params.session ?? {}) as { id?: string };
      return method === "bridge/state" && id !== undefined && id !== first.sessionId;
    });
    expect((told.params.session as { id: string }).id).toBe((await current(editor)).sessionId);
  });

  test("a name is told of", async () => {
    const editor = await talkTo(pi, [
      { exactly: { type: "set_session_name", name: "checkout rewrite" }, as: "name" },
      { state: { ...FAKE_STATE, sessionName: "checkout rewrite" } },
      send("session_info_changed", { name: "checkout rewrite" }),
      { to: "name", reply: null },
      { exactly: { type: "set_session_name", name: " " }, reject: "Session name cannot be empty" },
    ]);
    expect(await editor.request("pi/set_session_name", { name: "checkout rewrite" })).toEqual({ result: null });
    await editor.until(({ method, params }) => {
      const { name } = (params.session ?? {}) as { name?: string };
      return method === "bridge/state" && name === "checkout rewrite";
    });
    expect(await editor.request("pi/set_session_name", { name: " " })).toEqual({
      error: {
        code: -32803,
        message: "Session name cannot be empty",
        data: { kind: "rejected", command: "set_session_name" },
      },
    });
  });

  test("a new session ends the run of the old one", async () => {
    const editor = await talkTo(pi, [
      session("first"),
      answered("prompt", { disposition: "started" }),
      ...started(),
      { expect: { type: "new_session" }, as: "new" },
      ...ended(true),
      session("second"),
      { to: "new", reply: { cancelled: false } },
    ]);
    await editor.call("pi/prompt", { message: "stall" });
    await editor.until("pi/agent_start");
    expect(await editor.request("pi/new_session")).toEqual(REPLACED);
    await editor.until(
      ({ method, params }) => method === "bridge/state" && params.activity === "idle" && params.phase === "ready",
      await editor.until("pi/agent_start"),
    );
    expect(await editor.call("pi/get_state")).toMatchObject({ isStreaming: false });
  });
});
