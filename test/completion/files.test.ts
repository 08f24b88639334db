import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { FAKE_STATE, type Step } from "../support/scenario.ts";
import { type Talk, type TalkOptions, talkTo } from "../support/talk.ts";
import { answered, send } from "../support/traces.ts";
import { files, Prompt, repository } from "./prompt.ts";

const stock = (options: TalkOptions = {}, scenario: Step[] = []) =>
  talkTo(fakePi, scenario, { optIn: null, inMemory: true, ...options });

const complete = (talk: Talk, text: string) => new Prompt(talk, text).labels();

/** pi's part in a prompt that lets a tool run. */
const toolRun = [
  answered("prompt"),
  send("tool_execution_end", { toolCallId: "1", toolName: "write", result: {}, isError: false }),
];

describe("in a git repository", () => {
  test("there is what is tracked or new, and not what is ignored", async () => {
    const talk = await stock();
    files(talk.sandbox, ["src/a.ts", "dist/a.js", "src/debug.log", "src/keep.log"], {
      ".gitignore": "dist/\n*.log\n!keep.log\n",
    });
    repository(talk.sandbox);
    files(talk.sandbox, ["new/b.ts", "new/debug.log", "empty/"]);
    expect(await complete(talk, "@‸")).toEqual([
      "@new/",
      "@src/",
      "@.gitignore",
      "@new/b.ts",
      "@src/a.ts",
      "@src/keep.log",
    ]);
  });

  test("a .ignore file takes away from what git has, for the folder that it is in", async () => {
    const talk = await stock();
    files(talk.sandbox, ["big/data.csv", "sub/big/data.csv", "sub/b.ts", "b.ts"], {
      ".ignore": "/big/\n",
      "sub/.ignore": "b.ts\n",
    });
    repository(talk.sandbox);
    expect(await complete(talk, "@b‸")).toEqual(["@b.ts", "@sub/big/", "@sub/", "@sub/.ignore", "@sub/big/data.csv"]);
  });

  test("pi's folder may be one within the repository", async () => {
    const talk = await stock({ initialize: { rootUri: undefined } });
    files(talk.sandbox, ["above.ts", "inner/below.ts", "inner/b.log"], { ".gitignore": "*.log\n" });
    repository(talk.sandbox);
    const inner = await stock({ initializationOptions: { cwd: join(talk.sandbox.project, "inner") } });
    expect(await complete(inner, "@‸")).toEqual(["@below.ts"]);
  });

  test("what is deleted is not offered, and a link to a folder is a folder", async () => {
    const talk = await stock();
    files(talk.sandbox, ["gone.ts", "going/a.ts", "real/a.ts"]);
    symlinkSync("real", join(talk.sandbox.project, "link"));
    repository(talk.sandbox);
    rmSync(join(talk.sandbox.project, "gone.ts"));
    rmSync(join(talk.sandbox.project, "going"), { recursive: true });
    expect(await complete(talk, "@‸")).toEqual(["@real/", "@link/", "@real/a.ts"]);
    expect(await complete(talk, "@link/‸")).toEqual(["@link/a.ts"]);
  });

  test("a folder that the list does not have is looked into when it is typed", async () => {
    const talk = await stock();
    files(talk.sandbox, ["dist/a.js", "dist/deep/b.js"], { ".gitignore": "dist/\n" });
    repository(talk.sandbox);
    files(talk.sandbox, ["other/c.ts"]);
    repository(talk.sandbox, "other");
    expect(await complete(talk, "@ot‸")).toEqual(["@other/"]);
    expect(await complete(talk, "@dist/‸")).toEqual(["@dist/deep/", "@dist/a.js"]);
    expect(await complete(talk, "@other/‸")).toEqual(["@other/c.ts"]);
    expect(await complete(talk, "@nowhere/‸")).toEqual([]);
    expect(await complete(talk, "@../proj‸")).toEqual(["@../project/"]);
    expect(await complete(talk, "@~/ag‸")).toEqual(["@~/agent/"]);
    expect(await complete(talk, `@${talk.sandbox.root}/proj‸`)).toEqual([`@${talk.sandbox.root}/project/`]);
  });

  test("a name with a line break cannot be mentioned", async () => {
    const talk = await stock();
    files(talk.sandbox, ["a\nb.ts", "ab.ts", 'a"b.ts', "a'b.ts", "a$b.ts"]);
    repository(talk.sandbox);
    expect(await complete(talk, "@a‸")).toEqual(['@a"b.ts', "@a$b.ts", "@a'b.ts", "@ab.ts"]);
  });

  test("at most a hundred are told, the nearest first", async () => {
    const talk = await stock();
    files(talk.sandbox, [
      ...Array.from({ length: 150 }, (_, at) => `lib/deep/model${at}.ts`),
      "src/model.ts",
      "src/mode.ts",
      "model/x.ts",
      "src/remodel.ts",
      "src/data-model.ts",
    ]);
    repository(talk.sandbox);
    const labels = await complete(talk, "@model‸");
    expect(labels).toHaveLength(100);
    expect(labels.slice(0, 2)).toEqual(["@model/", "@src/model.ts"]);
  });
});

describe("in a folder without git", () => {
  test("ignore files are respected, the nearest first", async () => {
    const talk = await stock();
    files(
      talk.sandbox,
      [
        "src/a.ts",
        "src/a.log",
        "src/loud/b.log",
        "node_modules/x/index.js",
        "dist/a.js",
        "data/d.csv",
        "data/keep/k.csv",
      ],
      { ".gitignore": "*.log\n/dist\n", "src/loud/.gitignore": "!*.log\n", "data/.ignore": "*.csv\n" },
    );
    const labels = await complete(talk, "@‸");
    expect(labels).toEqual([
      ...["@data/", "@src/", "@.gitignore", "@data/keep/", "@src/loud/", "@data/.ignore", "@src/a.ts"],
      ...["@src/loud/.gitignore", "@src/loud/b.log"],
    ]);
    expect(await complete(talk, "@node_modules/x/‸")).toEqual(["@node_modules/x/index.js"]);
  });

  test("links that lead in a circle do no harm", async () => {
    const talk = await stock();
    files(talk.sandbox, ["a/b.ts"]);
    symlinkSync("..", join(talk.sandbox.project, "a/up"));
    expect(await complete(talk, "@‸")).toEqual(["@a/", "@a/b.ts", "@a/up/"]);
  });

  test("a folder without end is read in part, which is said once", async () => {
    const talk = await talkTo(fakePi, toolRun);
    const { project } = talk.sandbox;
    const folders = Array.from({ length: 60 }, (_, at) => `many${at}/`);
    files(talk.sandbox, folders);
    for (const folder of folders) for (let n = 0; n < 900; n++) writeFileSync(join(project, folder, `f${n}.ts`), "");
    const prompt = new Prompt(talk, "@many‸");
    expect(await prompt.labels()).toContain("@many0/");
    files(talk.sandbox, ["many-more.ts"]);
    await talk.call("pi/prompt", { message: "…" });
    await talk.until("pi/tool_execution_end");
    await prompt.labelsOnce((labels) => labels.includes("@many-more.ts"));
    const said = talk.all("window/logMessage").map(({ params }) => params.message);
    expect(said).toEqual([`Not all files of ${project} can be completed: There are more than 50000 entries.`]);
  });
});

describe("the list is renewed", () => {
  test("when a tool has run", async () => {
    const talk = await talkTo(fakePi, toolRun);
    files(talk.sandbox, ["old.ts"]);
    repository(talk.sandbox);
    const prompt = new Prompt(talk, "@‸");
    expect(await prompt.labels()).toEqual(["@old.ts"]);
    files(talk.sandbox, ["fresh.ts"]);
    await talk.call("pi/prompt", { message: "…" });
    await talk.until("pi/tool_execution_end");
    expect(await prompt.labelsOnce((labels) => labels.length > 1)).toEqual(["@fresh.ts", "@old.ts"]);
  });

  test("as time goes by", async () => {
    const talk = await stock();
    files(talk.sandbox, ["old.ts"]);
    const prompt = new Prompt(talk, "@‸");
    expect(await prompt.labels()).toEqual(["@old.ts"]);
    files(talk.sandbox, ["fresh.ts"]);
    expect(await prompt.labelsOnce((labels) => labels.length > 1)).toEqual(["@fresh.ts", "@old.ts"]);
  });
});

test("a session of another folder brings its files along", async () => {
  const other = await stock();
  files(other.sandbox, ["theirs.ts"], { "session.jsonl": `${JSON.stringify({ type: "session", cwd: "…" })}\n` });
  const sessionFile = join(other.sandbox.root, "session.jsonl");
  writeFileSync(sessionFile, `${JSON.stringify({ type: "session", cwd: other.sandbox.project })}\n`);
  rmSync(join(other.sandbox.project, "session.jsonl"));
  const talk = await talkTo(fakePi, [{ state: { ...FAKE_STATE, sessionFile } }, answered("get_messages", {})]);
  files(talk.sandbox, ["ours.ts"]);
  await talk.call("pi/get_messages");
  expect(await complete(talk, "@‸")).toEqual(["@theirs.ts"]);
});

test.each([
  ["ssh", { command: ["ssh", "host", "pi"], remoteShell: true }],
  ["docker", { command: ["docker", "exec", "-i", "box", "pi"] }],
  ["remoteShell", { command: ["to-the-host"], remoteShell: true }],
])("files of this machine are not offered to a pi that works elsewhere: %s", async (_, initializationOptions) => {
  const talk = await stock({ initializationOptions });
  files(talk.sandbox, ["README.md"]);
  expect(await complete(talk, "@READ‸")).toEqual([]);
  expect(await complete(talk, "@READ‸")).toEqual([]);
  const said = talk.all("window/logMessage").map(({ params }) => params.message);
  expect(said).toEqual([
    expect.stringMatching(/^@ completes no files: pi works elsewhere \((ssh|docker|remoteShell)\)/),
  ]);
});

test("without git in the path, files are found all the same", async () => {
  const talk = await stock({ env: { PATH: "/nowhere" }, inMemory: false });
  files(talk.sandbox, ["a.ts", "a.log"], { ".gitignore": "*.log\n" });
  repository(talk.sandbox);
  expect(await complete(talk, "@a‸")).toEqual(["@a.ts"]);
});
