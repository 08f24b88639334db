import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BridgeParams, BridgeResult } from "../../src/protocol/bridge.ts";
import { fakePi } from "../support/pis.ts";
import { type Talk, type TalkOptions, talkTo } from "../support/talk.ts";
import { answered } from "../support/traces.ts";
import { append, CREATED, store, time, touch } from "./stored.ts";

type Page = BridgeResult<"bridge/list_sessions">;

/** An editor whose pi is never started: the files are all that there is. */
function editor(options: TalkOptions = {}): Promise<Talk> {
  return talkTo(fakePi, [], { optIn: null, inMemory: true, ...options });
}

function ownFolder({ sandbox }: Talk, cwd = sandbox.project): string {
  return join(sandbox.agentDir, "sessions", `--${cwd.slice(1).replaceAll("/", "-")}--`);
}

async function list(talk: Talk, params: BridgeParams<"bridge/list_sessions"> = {}): Promise<Page> {
  return (await talk.call("bridge/list_sessions", params)) as Page;
}

async function ids(talk: Talk, params: BridgeParams<"bridge/list_sessions"> = {}): Promise<string[]> {
  return (await list(talk, params)).sessions.map(({ id }) => id);
}

/** Asks until everything is read. */
async function indexed(talk: Talk, params: BridgeParams<"bridge/list_sessions"> = {}): Promise<Page> {
  for (;;) {
    const page = await list(talk, params);
    if (page.indexed) return page;
  }
}

test("tells what there is to tell of a session, the one that was written last first", async () => {
  const talk = await editor();
  const cwd = talk.sandbox.project;
  const folder = ownFolder(talk);
  const parent = store(folder, { id: "parent", cwd, modified: 1, lines: [["user", "Hello\n\n  there"]] });
  const file = store(folder, {
    id: "child",
    cwd,
    parent,
    modified: 2,
    lines: [
      { type: "model_change", provider: "anthropic", modelId: "claude" },
      ["system", "You are an agent."],
      ["user", "x".repeat(300)],
      ["assistant", "Found it."],
      { type: "session_info", name: " the cart " },
      ["toolResult", "total 48"],
    ],
  });
  expect(await list(talk)).toEqual({
    sessions: [
      {
        id: "child",
        file,
        name: "the cart",
        cwd,
        created: CREATED,
        modified: time(2).toISOString(),
        messageCount: 4,
        firstMessage: `${"x".repeat(199)}…`,
        lastMessage: "Found it.",
        parent,
        current: false,
      },
      {
        id: "parent",
        file: parent,
        cwd,
        created: CREATED,
        modified: time(1).toISOString(),
        messageCount: 1,
        firstMessage: "Hello there",
        lastMessage: "Hello there",
        current: false,
      },
    ],
    indexed: true,
    skipped: 0,
  });
});

test("there is nothing where pi was never used", async () => {
  expect(await list(await editor(), { all: true })).toEqual({ sessions: [], indexed: true, skipped: 0 });
});

describe("whose sessions", () => {
  test("those of pi's working directory, of another one, of all", async () => {
    const talk = await editor();
    const { project, root } = talk.sandbox;
    const other = join(root, "other");
    mkdirSync(other);
    symlinkSync(other, join(project, "link"));
    store(ownFolder(talk), { id: "here", cwd: project, modified: 2 });
    store(ownFolder(talk, other), { id: "there", cwd: other, modified: 1 });
    expect(
      await Promise.all(
        [{}, { cwd: other }, { cwd: "../other" }, { cwd: "link" }, { all: true }].map((params) => ids(talk, params)),
      ),
    ).toEqual([["here"], ["there"], ["there"], ["there"], ["here", "there"]]);
  });

  test("a folder that all working directories share is told by its headers", async () => {
    const talk = await editor({ initializationOptions: { args: ["--session-dir", "../sessions"] } });
    const { project, root, sessions } = talk.sandbox;
    for (let at = 0; at < 100; at++) store(sessions, { id: `other${at}`, cwd: root, modified: 1 + at });
    store(sessions, { id: "here", cwd: project });
    expect(await ids(talk, { limit: 1 })).toEqual(["here"]);
    expect(await ids(talk, { cwd: root, limit: 2 })).toEqual(["other99", "other98"]);
    expect((await ids(talk, { all: true, limit: 1000 })).length).toBe(101);
  });

  const flat = "flat";
  test.each<[how: string, setUp: (talk: { project: string; agentDir: string }) => void, options: TalkOptions]>([
    ["an argument", () => {}, { initializationOptions: { args: ["--session-dir", flat] } }],
    [
      "an argument below the home",
      () => {},
      { initializationOptions: { args: ["--session-dir", "~/../project/flat"] } },
    ],
    ["the environment", () => {}, { initializationOptions: { args: [], env: { PI_CODING_AGENT_SESSION_DIR: flat } } }],
    [
      "the person's settings",
      ({ agentDir }) => writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ sessionDir: flat })),
      { initializationOptions: { args: [] } },
    ],
    [
      "the project's settings",
      ({ project, agentDir }) => {
        writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ sessionDir: "elsewhere" }));
        mkdirSync(join(project, ".pi"));
        writeFileSync(join(project, ".pi", "settings.json"), JSON.stringify({ sessionDir: flat }));
      },
      { initializationOptions: { args: [] } },
    ],
  ])("the folder named by %s", async (_, setUp, options) => {
    const talk = await editor(options);
    const { project } = talk.sandbox;
    setUp(talk.sandbox);
    store(join(project, flat), { id: "here", cwd: project });
    store(ownFolder(talk), { id: "not here", cwd: project });
    expect(await ids(talk)).toEqual(["here"]);
  });
});

test("broken files are skipped and counted", async () => {
  const talk = await editor();
  const folder = ownFolder(talk);
  store(folder, { id: "good", cwd: talk.sandbox.project, lines: [["user", "Hello"]] });
  const broken = {
    empty: "",
    garbage: "\u0000\u0001 no JSON",
    other: '{"type":"message"}\n',
    list: "[1]\n",
    id: '{"type":"session"}\n',
  };
  for (const [name, text] of Object.entries(broken)) writeFileSync(join(folder, `${name}.jsonl`), text);
  mkdirSync(join(folder, "folder.jsonl"));
  writeFileSync(join(folder, "notes.txt"), "");
  const { sessions, skipped } = await indexed(talk);
  expect([sessions.map(({ id }) => id), skipped]).toEqual([["good"], 5]);
});

test("damaged lines, foreign lines and an unended last line do not hide the others", async () => {
  const talk = await editor();
  const file = store(ownFolder(talk), { id: "good", cwd: talk.sandbox.project });
  appendFileSync(
    file,
    '\n{"type":"mess\n[]\nnull\n{"type":"from_tomorrow","message":{"role":"user","content":"no"}}\r\n',
  );
  append(file, [["user", "one"]], 1);
  appendFileSync(file, '{"message":{"content":[{"type":"text","text":"two"}],"role":"assistant"},"type":"message"}');
  touch(file, 2);
  expect((await list(talk)).sessions).toMatchObject([{ messageCount: 2, firstMessage: "one", lastMessage: "two" }]);
  // As pi does it before it goes on.
  appendFileSync(file, "\n");
  append(file, [["assistant", "three"]], 3);
  expect((await list(talk)).sessions).toMatchObject([{ messageCount: 3, firstMessage: "one", lastMessage: "three" }]);
});

test("pages do not shift when sessions appear", async () => {
  const talk = await editor();
  const { project } = talk.sandbox;
  for (let at = 0; at < 7; at++) store(ownFolder(talk), { id: `s${at}`, cwd: project, modified: Math.floor(at / 2) });
  const first = await list(talk, { limit: 3 });
  store(ownFolder(talk), { id: "new", cwd: project, modified: 100 });
  const second = await list(talk, { limit: 3, cursor: first.cursor as string });
  const third = await list(talk, { limit: 3, cursor: second.cursor as string });
  expect([first, second, third].map(({ sessions }) => sessions.map(({ id }) => id))).toEqual([
    ["s6", "s5", "s4"],
    ["s3", "s2", "s1"],
    ["s0"],
  ]);
  expect(third.cursor).toBeUndefined();
});

test("names follow the session, also when they are taken away", async () => {
  const talk = await editor();
  const file = store(ownFolder(talk), { id: "a", cwd: talk.sandbox.project, lines: [["user", "Hello"]] });
  const name = async () => (await list(talk)).sessions[0]?.name;
  expect(await name()).toBeUndefined();
  append(
    file,
    [
      { type: "session_info", name: "first" },
      { type: "session_info", name: "second" },
    ],
    1,
  );
  expect(await name()).toBe("second");
  append(file, [{ type: "session_info", name: "" }], 2);
  expect(await name()).toBeUndefined();
});

test.each([
  ["cart", ["late", "named", "said"]],
  ["CART", ["late", "named", "said"]],
  ["oppingcar", ["said"]],
  ["race cart", ["said"]],
  ["src/cart.ts", ["said"]],
  ["fußgänger", ["said"]],
  ["\u0065\u0301t\u0065\u0301", ["said"]],
  ["the of", []],
  ["banana", []],
  ["hidden", []],
  ["...", ["late", "named", "said"]],
])("the query %j finds %j", async (query, expected) => {
  const talk = await editor();
  const { project } = talk.sandbox;
  store(ownFolder(talk), {
    id: "said",
    cwd: project,
    lines: [
      ["user", "The shoppingcart has a race, src/cart.ts"],
      ["assistant", "FUSSGÄNGER Fußgänger été"],
      ["toolResult", "hidden"],
    ],
  });
  store(ownFolder(talk), { id: "named", cwd: project, lines: [{ type: "session_info", name: "Cart rewrite" }] });
  // Larger than what is read at once.
  const filler = Array.from({ length: 40 }, (): ["toolResult", string] => ["toolResult", "x".repeat(50_000)]);
  store(ownFolder(talk), { id: "late", cwd: project, lines: [["user", "Hi"], ...filler, ["assistant", "the cart"]] });
  const found = (await indexed(talk, { query })).sessions.map(({ id }) => id);
  expect(found.sort()).toEqual(expected);
});

test("a session that grows is found by what is new in it", async () => {
  const talk = await editor();
  const file = store(ownFolder(talk), { id: "a", cwd: talk.sandbox.project, lines: [["user", "alpha"]] });
  expect((await indexed(talk, { query: "alpha" })).sessions).toHaveLength(1);
  append(file, [["assistant", "beta"]], 5);
  expect((await indexed(talk, { query: "beta alpha" })).sessions).toMatchObject([{ messageCount: 2 }]);
});

test.each([
  [{ cursor: "bm9uc2Vuc2U" }, 'bridge/list_sessions: the cursor "bm9uc2Vuc2U" is not one of mine.'],
  [{ cwd: "/", all: true }, "bridge/list_sessions: give either cwd or all."],
  [{ limit: 0 }, /limit.*got 0/],
  [{ search: "x" }, /unknown key "search"/],
])("%j is refused", async (params, message) => {
  const talk = await editor();
  expect(await talk.request("bridge/list_sessions", params)).toEqual({
    error: {
      code: -32602,
      message: expect.stringMatching(message),
      data: expect.objectContaining({ kind: "invalid_params" }),
    },
  });
});

describe("when pi runs elsewhere", () => {
  test.each([
    [["ssh", "host", "pi"], "ssh"],
    [["/usr/bin/docker", "exec", "-i", "box", "pi"], "docker"],
    [["sh", "-c", "exec ssh host pi"], "ssh"],
    [["env", "A=1", "wsl.exe", "pi"], "wsl"],
    [["sudo", "-u", "bob", "pi"], "sudo"],
  ])("%j lists nothing", async (command, word) => {
    const talk = await editor({ initializationOptions: { command } });
    expect(await talk.request("bridge/list_sessions")).toEqual({
      error: {
        code: -32803,
        message: `bridge/list_sessions: pi runs elsewhere (its command has the word "${word}"), and its sessions cannot be seen from here.`,
        data: {
          kind: "unsupported",
          method: "bridge/list_sessions",
          hint: expect.stringContaining("pi/switch_session"),
        },
      },
    });
    expect(await talk.request("bridge/resume", { id: "a" })).toMatchObject({
      error: { data: { kind: "unsupported", method: "bridge/resume" } },
    });
  });

  test("the option says so", async () => {
    const talk = await editor({ initializationOptions: { command: ["run-there", "pi"], remoteShell: true } });
    expect(await talk.request("bridge/list_sessions")).toMatchObject({ error: { data: { kind: "unsupported" } } });
  });

  test("pi's session file says so", async () => {
    const talk = await talkTo(fakePi, [answered("abort_retry")]);
    await talk.call("pi/abort_retry");
    expect(await talk.request("bridge/list_sessions")).toMatchObject({
      error: { message: expect.stringContaining("/nowhere/fake-session.jsonl"), data: { kind: "unsupported" } },
    });
  });

  test.each([[["node", "/opt/pi/cli.js"]], [["npx", "pi"]], [["nice", "-n", "5", "pi"]], [["/opt/ssh/pi"]]])(
    "%j runs here",
    async (command) => {
      const talk = await editor({ initializationOptions: { command } });
      store(ownFolder(talk), { id: "here", cwd: talk.sandbox.project });
      store(talk.sandbox.sessions, { id: "here", cwd: talk.sandbox.project });
      expect(await ids(talk)).toEqual(["here"]);
    },
  );
});

test("a stock client calls it as a command", async () => {
  const talk = await editor();
  const { project } = talk.sandbox;
  store(ownFolder(talk), { id: "a", cwd: project, modified: 1 });
  store(ownFolder(talk), { id: "b", cwd: project, modified: 2 });
  const run = (args: unknown[]) =>
    talk.call("workspace/executeCommand", { command: "pi.bridge.list_sessions", arguments: args });
  expect(await run([{ limit: 1 }])).toMatchObject({ sessions: [{ id: "b" }] });
  expect(await run([project, null, null, 1])).toMatchObject({ sessions: [{ id: "b" }] });
});
