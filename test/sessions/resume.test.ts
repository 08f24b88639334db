import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { newestPi, realPis } from "../support/pis.ts";
import type { Talk } from "../support/talk.ts";
import { store } from "./stored.ts";
import { command, prompt, resume, sessions, start, state, workingDirectory } from "./with-pi.ts";

/** Another folder, and a session that belongs to it. */
function elsewhere({ sandbox }: Talk, id = "of-other"): { folder: string; file: string } {
  const folder = join(sandbox.root, "other");
  mkdirSync(folder, { recursive: true });
  return { folder, file: store(sandbox.sessions, { id, cwd: folder, lines: [["user", "Hello from there"]] }) };
}

describe.each(realPis)("$name", (pi) => {
  test("sessions are listed, and gone on with by id and by file", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: one");
    const first = await state(talk);
    await talk.call("pi/set_session_name", { name: "the first" });
    await talk.call("pi/new_session");
    await prompt(talk, "say: two");
    const second = await state(talk);
    const cwd = talk.sandbox.project;
    const one = {
      id: first.sessionId,
      file: first.sessionFile,
      name: "the first",
      cwd,
      firstMessage: "say: one",
      lastMessage: "one",
    };
    const two = { id: second.sessionId, file: second.sessionFile, cwd, firstMessage: "say: two", lastMessage: "two" };
    const expected = (current: string) => ({
      sessions: [one, two].map((session) => expect.objectContaining({ ...session, current: session.id === current })),
      indexed: true,
      skipped: 0,
    });
    const listed = async () => {
      const page = await sessions(talk);
      return { ...page, sessions: page.sessions.sort((a, b) => (a.firstMessage < b.firstMessage ? -1 : 1)) };
    };
    expect(await listed()).toEqual(expected(two.id));

    expect(await resume(talk, { id: one.id })).toMatchObject({
      phase: "ready",
      restarts: 0,
      session: { id: one.id, file: one.file, name: "the first", cwd },
    });
    expect(await listed()).toEqual(expected(one.id));
    expect(await talk.call("pi/get_last_assistant_text")).toEqual({ text: "one" });

    expect(await resume(talk, { file: relative(cwd, two.file) })).toMatchObject({
      session: { id: two.id, file: two.file },
    });
    expect(await listed()).toEqual(expected(two.id));
    await prompt(talk, "say: three");
    expect((await sessions(talk, { query: "three two" })).sessions).toMatchObject([
      { id: two.id, lastMessage: "three" },
    ]);
  });

  test("a session of another folder is gone on with there", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: here");
    const here = await state(talk);
    const before = (await talk.call("bridge/state")) as { pi: { pid: number } };
    const { folder, file } = elsewhere(talk);
    expect((await sessions(talk)).sessions.map(({ id }) => id)).toEqual([here.sessionId]);

    const after = await resume(talk, { id: "of-other" });
    expect(after).toMatchObject({ phase: "ready", restarts: 1, session: { id: "of-other", file, cwd: folder } });
    expect(after.pi?.pid).not.toBe(before.pi.pid);
    expect(await workingDirectory(talk)).toBe(folder);
    expect((await sessions(talk)).sessions).toMatchObject([{ id: "of-other", current: true }]);
    await prompt(talk, "say: there");
    expect((await sessions(talk)).sessions).toMatchObject([{ lastMessage: "there", messageCount: expect.any(Number) }]);

    expect(await resume(talk, { id: here.sessionId })).toMatchObject({ restarts: 2, session: { id: here.sessionId } });
    expect(await workingDirectory(talk)).toBe(talk.sandbox.project);
    expect(await talk.call("pi/get_last_assistant_text")).toEqual({ text: "here" });
  });

  test.each([
    ["of the same folder", false],
    ["of another folder", true],
  ])("a run that is on is aborted by a session %s, and keeps what it has said", async (_, isElsewhere) => {
    const talk = await start(pi);
    const target = isElsewhere
      ? elsewhere(talk).file
      : store(talk.sandbox.sessions, { id: "next", cwd: talk.sandbox.project, lines: [["user", "Hi"]] });
    await talk.call("pi/prompt", { message: "say: as far as this\nstall" });
    await talk.until((message) => message.text.includes('"text_end"'));
    const { sessionId } = await state(talk);
    expect(await resume(talk, { file: target })).toMatchObject({
      phase: "ready",
      activity: "idle",
      session: { file: target },
    });
    const all = (await sessions(talk, { all: true })).sessions;
    expect(all.find(({ id }) => id === sessionId)).toMatchObject({ lastMessage: "as far as this" });
  });

  test("an extension may refuse", async () => {
    const talk = await start(pi);
    const file = store(talk.sandbox.sessions, { id: "next", cwd: talk.sandbox.project, lines: [["user", "Hi"]] });
    const { sessionId } = await state(talk);
    await command(talk, "/refuse");
    expect(await talk.request("bridge/resume", { file })).toMatchObject({
      error: {
        code: -32803,
        message: expect.stringContaining("refused"),
        data: { kind: "rejected", command: "switch_session" },
      },
    });
    expect((await state(talk)).sessionId).toBe(sessionId);
  });

  test("what is sent after it goes to the session that it opens", async () => {
    const talk = await start(pi);
    elsewhere(talk);
    store(talk.sandbox.sessions, { id: "next", cwd: talk.sandbox.project, lines: [["user", "Hi"]] });
    const answers = [
      talk.request("bridge/resume", { id: "next" }),
      talk.request("pi/get_state"),
      talk.request("bridge/resume", { id: "of-other" }),
      talk.request("pi/get_state"),
      talk.request("bridge/tree"),
    ];
    expect(await Promise.all(answers)).toMatchObject([
      { result: { session: { id: "next" } } },
      { result: { sessionId: "next" } },
      { result: { session: { id: "of-other" } } },
      { result: { sessionId: "of-other" } },
      // pi adds entries of its own when it opens a session without them.
      { result: { nodes: expect.arrayContaining([expect.objectContaining({ preview: "Hello from there" })]) } },
    ]);
  });
});

describe("nothing changes", () => {
  const pi = newestPi;

  test("when the session is open already, not even the run", async () => {
    const talk = await start(pi);
    await talk.call("pi/prompt", { message: "hold\nsay: done" });
    await talk.until("pi/agent_start");
    const { sessionFile } = await state(talk);
    await talk.until((message) => message.method === "pi/message_start" && message.text.includes('"assistant"'));
    expect(await resume(talk, { file: sessionFile })).toMatchObject({ activity: "running", restarts: 0 });
    await command(talk, "/release");
    await talk.until("pi/agent_settled");
  });

  test("when the session's folder is gone", async () => {
    const talk = await start(pi);
    const { folder } = elsewhere(talk);
    rmSync(folder, { recursive: true });
    const before = await state(talk);
    expect(await talk.request("bridge/resume", { id: "of-other" })).toEqual({
      error: {
        code: -32803,
        message: `The session of-other belongs to the folder ${folder}, which does not exist. Nothing was changed.`,
        data: expect.objectContaining({
          kind: "unavailable",
          reason: "cwd_missing",
          hint: expect.stringContaining("--fork"),
        }),
      },
    });
    expect(await state(talk)).toEqual(before);
  });

  test("but the process, when pi does not start in the other folder", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: here");
    const { sessionId } = await state(talk);
    const { folder } = elsewhere(talk);
    writeFileSync(join(folder, "no-pi-here"), "");
    expect(await talk.request("bridge/resume", { id: "of-other" })).toMatchObject({
      error: { code: -32803, data: { kind: "unavailable", exitCode: 3 } },
    });
    expect(await state(talk)).toMatchObject({ sessionId });
    expect(await workingDirectory(talk)).toBe(talk.sandbox.project);
  });

  test.each<[what: string, params: (talk: Talk) => object, message: string | RegExp]>([
    [
      "an unknown id",
      () => ({ id: "nobody" }),
      'bridge/resume: there is no session with the id "nobody". bridge/list_sessions {all: true} lists those that there are.',
    ],
    [
      "an id that is not unique",
      () => ({ id: "same" }),
      /"same" is the beginning of several ids: same-\d \(.*\), same-\d \(.*\)\. Give more of it, or the file\.$/,
    ],
    [
      "a file that is not there",
      () => ({ file: "/nowhere.jsonl" }),
      "bridge/resume: the session file /nowhere.jsonl does not exist.",
    ],
    ["a folder", ({ sandbox }) => ({ file: sandbox.root }), /is not a file\.$/],
    [
      "a file that is no session",
      ({ sandbox }) => ({ file: sandbox.file("a.txt", "Hello") }),
      /a\.txt is no session of pi/,
    ],
    ["an empty file", ({ sandbox }) => ({ file: sandbox.file("a.jsonl", "") }), /a\.jsonl is no session of pi/],
    ["nothing", () => ({}), "bridge/resume: params: give either id or file, got {}"],
    ["both", () => ({ id: "a", file: "b" }), /give either id or file/],
    ["an empty id", () => ({ id: "" }), /id/],
  ])("for %s", async (_, params, message) => {
    const talk = await start(pi, { optIn: null });
    for (const id of ["same-1", "same-2"]) store(talk.sandbox.sessions, { id, cwd: talk.sandbox.project });
    expect(await talk.request("bridge/resume", params(talk))).toEqual({
      error: {
        code: -32602,
        message: typeof message === "string" ? message : expect.stringMatching(message),
        data: expect.objectContaining({ kind: "invalid_params" }),
      },
    });
    expect(await talk.call("bridge/state")).toMatchObject({ phase: "stopped" });
  });
});

describe("a pi that does not run yet", () => {
  test("is started on the session, whatever its arguments say", async () => {
    const talk = await start(newestPi, { optIn: null, initializationOptions: { session: { file: "/nowhere.jsonl" } } });
    store(talk.sandbox.sessions, { id: "stored", cwd: talk.sandbox.project, lines: [["user", "Hi"]] });
    expect(await resume(talk, { id: "sto" })).toMatchObject({ phase: "ready", session: { id: "stored" } });
    expect(await talk.call("pi/get_entries")).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ type: "message" })]),
    });
  });

  test("finds what its relative arguments name, also in another folder", async () => {
    const talk = await start(newestPi, {
      optIn: null,
      initializationOptions: {
        command: [process.execPath, "./pi/cli.js"],
        args: [
          "--no-session",
          "--session-dir",
          "../sessions",
          "-e",
          "./pi/model.ts",
          "--provider",
          "scripted",
          "--model",
          "script",
        ],
      },
    });
    const { project } = talk.sandbox;
    const { command, args } = newestPi.launch(talk.sandbox, []);
    mkdirSync(join(project, "pi"));
    writeFileSync(join(project, "pi", "cli.js"), `import(${JSON.stringify(command[1])});\n`);
    writeFileSync(join(project, "pi", "model.ts"), `export { default } from ${JSON.stringify(args[1])};\n`);
    const { folder } = elsewhere(talk);
    expect(await resume(talk, { id: "of-other" })).toMatchObject({
      model: { provider: "scripted" },
      session: { id: "of-other", cwd: folder },
    });
  });
});
