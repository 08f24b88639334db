import { describe, expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { files, Prompt, repository } from "./prompt.ts";

const COMMANDS: Step = {
  expect: { type: "get_commands" },
  reply: {
    commands: [
      { name: "compact-all", description: "Compact everything", source: "extension" },
      { name: "review", description: "Review the staged changes", source: "prompt" },
      { name: "skill:release", source: "skill" },
    ],
  },
};

async function talkWithFiles(scenario: Step[] = [], initialize = {}): Promise<Talk> {
  const talk = await talkTo(fakePi, scenario, { optIn: null, inMemory: true, initialize });
  const dishes = ["my notes/to do.md", "naïve/日本語.md", "plan、draft.md", "src/editor/framing.ts", "src/main.ts"];
  files(talk.sandbox, ["README.md", ...dishes]);
  repository(talk.sandbox);
  return talk;
}

const CHAT = { uri: "file:///talks/one.pi.md", languageId: "markdown" };
const TRANSCRIPT = "## You\n\nfirst @src\n\n## pi\n\nanswer\n\n";

describe("a path", () => {
  test.each([
    ["at the start", "@READ‸", "@README.md‸"],
    ["in the middle of a line", "look at @READ‸ please", "look at @README.md‸ please"],
    ["on a later line", "one\ntwo @READ‸\nthree", "one\ntwo @README.md‸\nthree"],
    ["behind a tab", "\t@READ‸", "\t@README.md‸"],
    ["in brackets", "(see @READ‸)", "(see @README.md‸)"],
    ["before a full stop", "See @READ‸.", "See @README.md‸."],
    ["behind a full-width comma", "看，@READ‸", "看，@README.md‸"],
    ["with the cursor inside of it", "@src/ma‸xi.ts, then", "@src/main.ts‸, then"],
    ["in capitals or not", "@read‸", "@README.md‸"],
    ["by letters of its name alone", "@frmg‸", "@src/editor/framing.ts‸"],
    ["by letters of its folders", "@src/fram‸", "@src/editor/framing.ts‸"],
    ["behind a dot and a slash", "@./src/ma‸", "@./src/main.ts‸"],
    ["behind characters of two code units", "😀𝕏 @READ‸ 😀", "😀𝕏 @README.md‸ 😀"],
    ["in lines that end with CR LF", "a\r\n😀 @READ‸\r\nb", "a\r\n😀 @README.md‸\r\nb"],
    ["a folder", "@src/ed‸", "@src/editor/‸"],
    ["what is in a folder", "@src/editor/‸", "@src/editor/framing.ts‸"],
    ["a folder with a blank in its name", "@my‸", '@"my notes/‸'],
    ["what is in it, its quote open", '@"my notes/‸', '@"my notes/to do.md"‸'],
    ["what is in it, its quote closed by the editor", '@"my notes/‸"', '@"my notes/to do.md"‸'],
    ["a folder between two quotes", '@"my‸"', '@"my notes/‸"'],
    ["without a blank, in quotes all the same", '@"READ‸', '@"README.md"‸'],
    ["with letters beyond ASCII", "@naïve/日‸", "@naïve/日本語.md‸"],
    ["with accents composed otherwise", "@nai\u0308ve/日‸", "@naïve/日本語.md‸"],
    ["with a comma that separates words", "@plan‸", '@"plan、draft.md"‸'],
  ])("%s", async (_, text, after) => {
    const prompt = new Prompt(await talkWithFiles(), text);
    const [first] = await prompt.items();
    expect(first && prompt.after(first)).toBe(after);
  });
});

describe("nothing is completed", () => {
  test.each([
    ["in an e-mail address", "mail ada@exam‸"],
    ["in a remote's address", "git@READ‸"],
    ["behind a blank", "@README.md ‸"],
    ["before the sign", "‸@README.md"],
    ["in an empty prompt", "‸"],
    ["by a word that nothing has", "@zzzzqqq‸"],
    ["behind a closed quote", '@"README.md"‸'],
    ["by a slash within the prompt", "do /rev‸"],
    ["by a slash on a later line", "do\n/rev‸"],
    ["by a path that begins with a slash", "/etc/pass‸"],
    ["behind a command", "/review ‸"],
  ])("%s", async (_, text) => {
    const prompt = new Prompt(await talkWithFiles(text.startsWith("/etc") ? [COMMANDS] : []), text);
    expect(await prompt.labels()).toEqual([]);
  });
});

describe("a command", () => {
  test.each([
    ["at the start", "/rev‸", "/review‸"],
    ["behind blanks and empty lines", " \n\n  /rev‸", " \n\n  /review‸"],
    ["with the cursor inside of it", "/re‸v now", "/review‸ now"],
    ["a skill by its bare name", "/rele‸", "/skill:release‸"],
    ["a skill by its whole name", "/skill:‸", "/skill:release‸"],
    ["by letters of its name", "/cal‸", "/compact-all‸"],
    ["in lines that end with CR LF", "\r\n/rev‸\r\n", "\r\n/review‸\r\n"],
  ])("%s", async (_, text, after) => {
    const prompt = new Prompt(await talkWithFiles([COMMANDS]), text);
    const [first] = await prompt.items();
    expect(first && prompt.after(first)).toBe(after);
  });
});

describe("in a chat document", () => {
  test.each([
    ["below the last heading", `${TRANSCRIPT}## You\n\n@READ‸`, ["@README.md"]],
    ["below a heading with blanks behind it", `${TRANSCRIPT}## You \t\r\n@READ‸`, ["@README.md"]],
    ["at the very start", "## You\n@READ‸", ["@README.md"]],
    ["a command at the start of the prompt", `${TRANSCRIPT}## You\n\n/rev‸`, ["/review"]],
    ["not above the last heading", `${TRANSCRIPT}and @READ‸\n\n## You\n`, []],
    ["not on the heading", `${TRANSCRIPT}## You‸`, []],
    ["not below a longer heading", `${TRANSCRIPT.replace("You", "Yours")}@READ‸`, []],
    ["in a file without any heading, which is a prompt", "@READ‸", ["@README.md"]],
    ["not where the answers' headings alone are left", "## pi\n\n@READ‸", []],
    ["not below a deeper one", `${TRANSCRIPT.replace("## You", "### You")}@READ‸`, []],
  ])("%s", async (_, text, labels) => {
    const talk = await talkWithFiles(text.includes("/rev") ? [COMMANDS] : []);
    expect(await new Prompt(talk, text, CHAT).labels()).toEqual(labels);
  });

  test("the name decides, whatever the language is called", async () => {
    const talk = await talkWithFiles();
    const text = "@README.md\n## You\n";
    for (const languageId of ["markdown", "pi-chat", "plaintext", "pi-prompt"]) {
      expect(await new Prompt(talk, text.replace("@README.md", "@READ‸"), { ...CHAT, languageId }).labels()).toEqual(
        [],
      );
      expect(await new Prompt(talk, `${text}@READ‸`, { ...CHAT, languageId }).labels()).toEqual(["@README.md"]);
    }
  });
});

describe("an item", () => {
  const range = (from: number, to: number) => ({
    start: { line: 0, character: from },
    end: { line: 0, character: to },
  });

  test("of a file is whole", async () => {
    const list = await new Prompt(await talkWithFiles(), "😀 @src/ed‸itor now").list();
    expect(list).toEqual({
      isIncomplete: true,
      items: [
        {
          label: "@src/editor/",
          kind: 19,
          sortText: "000",
          filterText: "@src/editor/",
          textEdit: { newText: "@src/editor/", range: range(3, 14) },
        },
        {
          label: "@src/editor/framing.ts",
          kind: 17,
          sortText: "001",
          filterText: "@src/editor/framing.ts",
          textEdit: { newText: "@src/editor/framing.ts", range: range(3, 14) },
        },
      ],
    });
  });

  test("of a command says what it is", async () => {
    const items = await new Prompt(await talkWithFiles([COMMANDS]), "/‸").items();
    expect(items.map(({ label, kind, detail, documentation }) => ({ label, kind, detail, documentation }))).toEqual([
      { label: "/compact-all", kind: 3, detail: "extension", documentation: "Compact everything" },
      { label: "/review", kind: 15, detail: "prompt", documentation: "Review the staged changes" },
      { label: "/skill:release", kind: 15, detail: "skill", documentation: undefined },
    ]);
  });

  test("offers both ranges to a client that knows of them", async () => {
    const completionItem = { insertReplaceSupport: true };
    const capabilities = { textDocument: { completion: { completionItem } } };
    const prompt = new Prompt(await talkWithFiles([], { capabilities }), "see @src/ma‸xi.ts");
    const [first] = await prompt.items();
    expect(first?.textEdit).toEqual({ newText: "@src/main.ts", insert: range(4, 11), replace: range(4, 16) });
  });

  test("passes a client's own filter also where only letters of it were typed", async () => {
    const [first] = await new Prompt(await talkWithFiles(), "@frmg‸").items();
    expect(first?.filterText).toBe("@frmg @src/editor/framing.ts");
  });
});

test("the server says what it completes", async () => {
  const talk = await talkTo(fakePi, [], { optIn: null });
  const { result } = await talk.until(({ result }) => result !== undefined);
  expect(result).toMatchObject({
    capabilities: {
      completionProvider: { triggerCharacters: ["/", "@"] },
      textDocumentSync: { openClose: true, change: 2, save: true },
    },
  });
  expect(JSON.stringify(result)).not.toContain("resolveProvider");
});
