import { describe, expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { files, Prompt, repository } from "./prompt.ts";

async function talkWithFiles(): Promise<Talk> {
  const talk = await talkTo(fakePi, [], { optIn: null, inMemory: true });
  files(talk.sandbox, ["README.md", "src/main.ts"]);
  repository(talk.sandbox);
  return talk;
}

const range = (line: number, from: number, to: number, endLine = line) => ({
  start: { line, character: from },
  end: { line: endLine, character: to },
});

describe("the text follows the editor's changes", () => {
  test.each([
    ["a character", "@REA", "@READ‸", [{ range: range(0, 4, 4), text: "D" }]],
    [
      "several, each after the one before it",
      "see",
      "see @READ‸",
      [
        { range: range(0, 3, 3), text: " " },
        { range: range(0, 4, 4), text: "@" },
        { range: range(0, 5, 5), text: "READ" },
      ],
    ],
    ["behind characters of two code units", "😀😀 x", "😀😀 @READ‸", [{ range: range(0, 5, 6), text: "@READ" }]],
    ["one of those taken away", "a😀 @READ", "a @READ‸", [{ range: range(0, 1, 3), text: "" }]],
    ["in lines that end with CR LF", "😀\r\nb\r\nc", "😀\r\n@READ‸\r\nc", [{ range: range(1, 0, 1), text: "@READ" }]],
    ["over several lines", "a\nb\nc @READ", "ac @READ‸", [{ range: range(0, 1, 0, 2), text: "" }]],
    ["a line that is put in above", "@READ", "new\n@READ‸", [{ range: range(0, 0, 0), text: "new\n" }]],
    ["beyond the end", "@RE", "@READ‸", [{ range: range(7, 0, 9), text: "AD" }]],
    ["the whole text", "something else", "see @READ‸", [{ text: "see @READ" }]],
    ["the whole, then a part", "x", "@READ‸", [{ text: "@RE" }, { range: range(0, 3, 3), text: "AD" }]],
  ])("%s", async (_, before, after, changes) => {
    const prompt = new Prompt(await talkWithFiles(), before);
    prompt.change(after, changes);
    const [first] = await prompt.items();
    expect(first && prompt.after(first)).toBe(after.replace("@READ‸", "@README.md‸"));
  });

  test("without a version", async () => {
    const talk = await talkWithFiles();
    const prompt = new Prompt(talk, "@READ‸");
    const changes = [{ range: range(0, 1, 5), text: "src" }];
    const textDocument = { uri: prompt.uri, version: null };
    talk.notify("textDocument/didChange", { textDocument, contentChanges: changes });
    expect(await prompt.labels()).toEqual(["@src/", "@src/main.ts"]);
  });

  test("when it is closed and opened again", async () => {
    const talk = await talkWithFiles();
    const uri = "file:///prompt.md";
    const first = new Prompt(talk, "@READ‸", { uri });
    first.close();
    expect(await first.labels()).toEqual([]);
    expect(await new Prompt(talk, "@src/‸", { uri }).labels()).toEqual(["@src/main.ts"]);
  });
});

test("documents that are no prompts have nothing", async () => {
  const talk = await talkWithFiles();
  for (const [uri, languageId] of [
    ["file:///notes.md", "markdown"],
    ["file:///pi.md", "markdown"],
    ["file:///main.ts", "typescript"],
    ["file:///talk.pi.md.orig", "plaintext"],
  ] as const) {
    const other = new Prompt(talk, "## You\n@READ‸", { uri, languageId });
    expect(await other.list()).toEqual({ isIncomplete: false, items: [] });
    other.change("## You\n@src‸", [{ text: "## You\n@src" }]);
    expect(await other.list()).toEqual({ isIncomplete: false, items: [] });
  }
  const never = { textDocument: { uri: "file:///never-opened.pi.md" }, position: { line: 0, character: 0 } };
  expect(await talk.call("textDocument/completion", never)).toEqual({ isIncomplete: false, items: [] });
});

test.each(["untitled:Untitled-1", "file:///tmp/prompt", "pi-ls://prompt/1", "zipfile:///a.zip::p"])(
  "a prompt is one by its language wherever it is: %s",
  async (uri) => {
    expect(await new Prompt(await talkWithFiles(), "@READ‸", { uri }).labels()).toEqual(["@README.md"]);
  },
);
