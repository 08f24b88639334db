import { expect, test } from "vitest";
import { promptOf, sessionEdit, turns } from "../../src/features/chat/layout.ts";
import { fakePi, newestPi } from "../support/pis.ts";
import { chatWith } from "./chat-client.ts";

const TEXT = "# Chat\n\n## You\n\nfirst prompt\nmore\n\n## pi\n\nAn answer.\n\n```\ncode\n```\n\n## You\n\nnext\n";

test("turns are symbols with their first line, turns and blocks fold", async () => {
  const editor = await chatWith(fakePi);
  const uri = editor.open("a.pi.md", TEXT);
  const range = (start: number, end: number, character = 0) => ({
    start: { line: start, character: 0 },
    end: { line: end, character },
  });
  const symbol = (name: string, start: number, end: number, title: number) => ({
    name,
    kind: 15,
    range: range(start, end),
    selectionRange: range(start, start, title),
  });
  expect(await editor.talk.call("textDocument/documentSymbol", { textDocument: { uri } })).toEqual([
    symbol("You: first prompt", 2, 7, 6),
    symbol("pi: An answer.", 7, 15, 5),
    symbol("You: next", 15, 18, 6),
  ]);
  expect(await editor.talk.call("textDocument/foldingRange", { textDocument: { uri } })).toEqual([
    { startLine: 2, endLine: 6 },
    { startLine: 7, endLine: 14 },
    { startLine: 11, endLine: 13 },
  ]);
});

test("the heading tells what pi does, and has the lens", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", "# Chat\n\n## You\n\nsay: x\nhold\n");
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hint = async () =>
    (await editor.talk.call("textDocument/inlayHint", { textDocument: { uri }, range })) as { label: string }[];
  expect(await hint()).toEqual([{ label: " idle", position: { line: 2, character: 6 }, paddingLeft: true }]);
  const lenses = async () => await editor.talk.call("textDocument/codeLens", { textDocument: { uri } });
  const lens = (line: number, title: string, command: string) => ({
    range: { start: { line, character: 0 }, end: { line, character: 6 } },
    command: { title, command, arguments: [uri] },
  });
  expect(await lenses()).toEqual([lens(2, "▶ Send to pi", "pi.chat.send")]);
  await editor.command("pi.chat.send");
  await editor.until(uri, "x\n\n## You");
  expect((await hint())[0]?.label).toMatch(/^ ● writing · script/);
  const line = editor.textOf(uri).split("\n").lastIndexOf("## You");
  expect(await lenses()).toEqual([lens(line, "▶ Send to pi", "pi.chat.send"), lens(line, "pi: stop", "pi.chat.abort")]);
  editor.type(uri, "/release");
  await editor.command("pi.chat.send");
  await editor.until(uri, "pi session:");
  // How full the context is, pi is asked when the run is over.
  const idle = /^ idle · script · \d+ % context$/;
  for (let at = 0; !idle.test((await hint())[0]?.label ?? ""); )
    at = (await editor.talk.until("workspace/inlayHint/refresh", at)).at + 1;
});

test("an editor that does not ask for a hint again is shown only what lasts", async () => {
  const capabilities = { textDocument: { inlayHint: {} }, workspace: { applyEdit: true } };
  const editor = await chatWith(newestPi, [], { initialize: { clientInfo: { name: "Eglot" }, capabilities } });
  const uri = editor.open("a.pi.md", "# Chat\n\n## You\n\nsay: x\nstall\n");
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hint = () => editor.talk.call("textDocument/inlayHint", { textDocument: { uri }, range });
  expect(await hint()).toEqual([]);
  await editor.command("pi.chat.send");
  await editor.until(uri, "x\n\n## You");
  expect(await hint()).toMatchObject([{ label: expect.stringMatching(/^ script · \d+ % context$/) }]);
});

test("a file with nothing in it gets its heading, one without headings is a prompt", async () => {
  const editor = await chatWith(newestPi);
  const empty = editor.open("empty.pi.md", "");
  await editor.until(empty, "# pi\n\n## You\n\n");
  const uri = editor.open("a.pi.md", "say: whole\n");
  await editor.command("pi.chat.send", [uri]);
  await editor.until(uri, "## You\n\nsay: whole\n\n## pi\n\nwhole\n\n## You\n\n");
});

test.each([
  ["# Chat\n\n## You\n\nask\n", "ask"],
  ["# Chat\n\n## You\n\nold\n\n## pi\n\nanswer\n\n## You", ""],
  ["ask\n", "ask"],
  ["# A title\n\nask\n", "# A title\n\nask"],
  ["<!-- pi session: 1 -->\n/compact\n", "/compact"],
  ["ask\n<!-- pi session: 1 -->\n", "ask\n<!-- pi session: 1 -->"],
  ["## pi\n\nanswer\n", ""],
  ["", ""],
])("the prompt of %j is %j", (text, prompt) => {
  expect(promptOf(text)).toBe(prompt);
});

test("the last heading without a text below is nothing to send", async () => {
  const editor = await chatWith(fakePi);
  const uri = editor.open("a.pi.md", "# Chat\n\n## You\n\n");
  await editor.command("pi.chat.send", [uri]);
  await editor.said("Nothing to send");
  expect(await editor.command("pi.bridge.state")).toMatchObject({ phase: "stopped" });
});

test("without a pi the transcript says what is wrong", async () => {
  const editor = await chatWith(newestPi, [], { initializationOptions: { command: ["/nowhere/pi"] } });
  const uri = editor.open("a.pi.md", "# Chat\n\n## You\n\nhello\n");
  await editor.command("pi.chat.send", [uri]);
  await editor.until(uri, /\*\*pi could not go on:\*\* .*nowhere/s.test.bind(/\*\*pi could not go on:\*\* .*nowhere/s));
});

test.each([
  ["# Chat\n\n## You\n", "# Chat\n<!-- pi session: 1 -->\n\n## You\n"],
  ["## You\n\n# not a title\n", "<!-- pi session: 1 -->\n\n## You\n\n# not a title\n"],
  ["# Chat\r\n<!-- pi session: 0 -->\r\n\r\n## You\r\n", "# Chat\r\n<!-- pi session: 1 -->\r\n\r\n## You\r\n"],
])("the session is noted in the header: %j", (text, expected) => {
  const edit = sessionEdit(text, "1");
  expect(edit && text.slice(0, edit.start) + edit.text + text.slice(edit.end)).toBe(expected);
  expect(sessionEdit(expected, "1")).toBe(undefined);
});

test("a heading within a prompt divides it", () => {
  expect(turns("## You\na\n## You\nb").map(({ of, title }) => `${of} ${title}`)).toEqual(["you a", "you b"]);
});
