import { describe, expect, test } from "vitest";
import { fakePi, realPis } from "../support/pis.ts";
import { FAKE_STATE, type Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";
import { answered } from "../support/traces.ts";
import { files, Prompt } from "./prompt.ts";

const commands = (...names: string[]): Step =>
  answered("get_commands", { commands: names.map((name) => ({ name, source: "prompt" })) });

describe("pi is asked", () => {
  test("and started, when a command is typed, not when a prompt is opened", async () => {
    const talk = await talkTo(fakePi, [commands("one")], { optIn: null });
    files(talk.sandbox, ["a.ts"]);
    const path = new Prompt(talk, "@a‸");
    expect(await path.labels()).toEqual(["@a.ts"]);
    expect(await talk.call("bridge/state")).toMatchObject({ phase: "stopped" });
    expect(await new Prompt(talk, "/‸").labels()).toEqual(["/one"]);
    expect(await talk.call("bridge/state")).toMatchObject({ phase: "ready" });
  });

  test("once, for all that is typed in the next seconds", async () => {
    const talk = await talkTo(fakePi, [commands("one", "two")]);
    for (const [text, labels] of [
      ["/‸", ["/one", "/two"]],
      ["/t‸", ["/two"]],
      ["/tw‸", ["/two"]],
      ["/o‸", ["/one", "/two"]],
    ] as const)
      expect(await new Prompt(talk, text).labels()).toEqual(labels);
  });

  test("again, when it has another session", async () => {
    const talk = await talkTo(fakePi, [
      commands("one"),
      { state: { ...FAKE_STATE, sessionId: "another" } },
      answered("new_session", { cancelled: false }),
      commands("two"),
    ]);
    const prompt = new Prompt(talk, "/‸");
    expect(await prompt.labels()).toEqual(["/one"]);
    await talk.call("pi/new_session");
    await talk.until((message) => message.method === "bridge/state" && message.text.includes('"another"'));
    expect(await prompt.labels()).toEqual(["/two"]);
  });

  test("again, when it has been started again", async () => {
    const talk = await talkTo(fakePi, [commands("one"), { wait: "eof" }, { restart: true }, commands("two")]);
    const prompt = new Prompt(talk, "/‸");
    expect(await prompt.labels()).toEqual(["/one"]);
    await talk.call("bridge/restart");
    expect(await prompt.labels()).toEqual(["/two"]);
  });

  test("and not started again, when it could not be", async () => {
    const initializationOptions = { command: ["/nowhere/pi"] };
    const talk = await talkTo(fakePi, [], { optIn: null, initializationOptions });
    const prompt = new Prompt(talk, "/‸");
    expect(await prompt.list()).toEqual({ isIncomplete: true, items: [] });
    expect(await prompt.list()).toEqual({ isIncomplete: true, items: [] });
    expect(talk.all("window/showMessage")).toHaveLength(1);
  });
});

describe("while pi does not answer", () => {
  const silent: Step[] = [{ expect: { type: "get_commands" } }];

  test("other requests are answered", async () => {
    const talk = await talkTo(fakePi, silent);
    files(talk.sandbox, ["a.ts"]);
    const waiting = new Prompt(talk, "/‸").request();
    expect(await new Prompt(talk, "@a‸").labels()).toEqual(["@a.ts"]);
    talk.cancel(waiting.id);
    expect(await waiting).toMatchObject({ error: { code: -32800 } });
  });

  test("the end of the session is an answer", async () => {
    const talk = await talkTo(fakePi, silent);
    const waiting = new Prompt(talk, "/‸").request();
    await talk.close();
    expect(await waiting).toEqual({ result: { isIncomplete: true, items: [] } });
  });
});

describe.each(realPis)("$name", (pi) => {
  test("tells its commands, templates and skills", async () => {
    const talk = await talkTo(pi, [], { optIn: null });
    files(talk.sandbox, [], {
      "../home/agent/prompts/tidy.md": "---\ndescription: Tidy up\n---\nTidy up $1.\n",
      "../home/agent/skills/ship/SKILL.md": "---\nname: ship\ndescription: Ship a version\n---\nShip it.\n",
    });
    const labels = await new Prompt(talk, "/‸").labelsOnce((found) => found.length > 0);
    expect(labels).toEqual(expect.arrayContaining(["/select", "/release", "/tidy", "/skill:ship"]));
    const [tidy] = await new Prompt(talk, "/tid‸").items();
    expect(tidy).toMatchObject({ label: "/tidy", kind: 15, detail: "prompt", documentation: "Tidy up" });
    const [ship] = await new Prompt(talk, "/shi‸").items();
    expect(ship).toMatchObject({ label: "/skill:ship", detail: "skill", documentation: "Ship a version" });
    const [release] = await new Prompt(talk, "/relea‸").items();
    expect(release).toMatchObject({ label: "/release", kind: 3, detail: "extension" });
  });
});
