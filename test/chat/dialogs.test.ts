import { expect, test } from "vitest";
import { newestPi, realPis } from "../support/pis.ts";
import { type ChatClient, type ChatClientOptions, chatWith } from "./chat-client.ts";

const CHAT = "# Chat\n\n## You\n\n";

/** What the extension got, as it tells afterwards. */
async function answerOf(editor: ChatClient, name: string): Promise<unknown> {
  const isAnswer = (text: unknown) => String(text).startsWith(`{"${name}"`);
  const told = await editor.talk.until(
    ({ method, params }) => method === "window/showMessage" && isAnswer(params.message),
  );
  return JSON.parse(String(told.params.message))[name];
}

async function opened(command: string, options: ChatClientOptions = {}, pi = newestPi) {
  const editor = await chatWith(pi, [], options);
  const uri = editor.open("a.pi.md", `${CHAT}${command}\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "**pi asks (q1)");
  return { editor, uri };
}

test.each(realPis)("a choice in the chat: its answers are the only actions, the refusal first, $name", async (pi) => {
  const { editor, uri } = await opened("/select", {}, pi);
  expect(await editor.titles(uri)).toEqual([
    "pi: answer q1: Cancel",
    "pi: answer q1: red",
    "pi: answer q1: green",
    "pi: answer q1: blue",
  ]);
  expect((await editor.actions(uri)).filter(({ isPreferred }) => isPreferred)).toEqual([]);
  const pointer = await editor.talk.until("textDocument/publishDiagnostics");
  const question = "> **pi asks (q1): Pick a colour**";
  const line = editor.textOf(uri).split("\n").indexOf(question);
  const range = { start: { line, character: 0 }, end: { line, character: question.length } };
  const message = "pi waits for an answer. The answers are code actions.";
  expect(pointer.params).toEqual({ uri, diagnostics: [{ range, severity: 3, source: "pi", message }] });
  await editor.choose(uri, "pi: answer q1: green");
  expect(await answerOf(editor, "select")).toBe("green");
  // In the place of the line that said how to answer.
  await editor.until(uri, "> 4. blue\n>\n> You answered q1: **green**\n");
  const cleared = await editor.talk.until("textDocument/publishDiagnostics", pointer);
  expect(cleared.params).toEqual({ uri, diagnostics: [] });
  expect(await editor.titles(uri)).toContain("Send to pi");
});

test("a confirmation is refused by its first action", async () => {
  const { editor, uri } = await opened("/confirm");
  expect(await editor.titles(uri)).toEqual(["pi: answer q1: No", "pi: answer q1: Yes"]);
  await editor.choose(uri, "pi: answer q1: No");
  expect(await answerOf(editor, "confirm")).toBe(false);
});

test("a long question is told of in a few words", async () => {
  const title = `Run this? ${"rm -rf node_modules && ".repeat(9)}`;
  const { editor } = await opened(`/confirm ${JSON.stringify({ title })}`);
  const { params } = await editor.said("pi asks");
  expect(params.message).toBe("pi asks in the chat: Run this? rm -rf node_modules …");
});

test("a text is what stands below the heading", async () => {
  const { editor, uri } = await opened("/input");
  expect(await editor.titles(uri)).toEqual(["pi: answer q1: Cancel", "pi: answer q1 with the text below"]);
  const pointer = await editor.talk.until("textDocument/publishDiagnostics");
  const message = "pi waits for an answer. Write it below the last heading, and send it.";
  expect(pointer.params.diagnostics).toMatchObject([{ message }]);
  editor.type(uri, "\nGrace");
  await editor.command("pi.chat.send");
  expect(await answerOf(editor, "input")).toBe("Grace");
  await editor.until(uri, "> *Answered below.*\n\n> You answered q1:\n>\n> Grace");
});

test.each([
  ["what was being written when a question for a text came", "say: a steer", "what you wrote", "say: a steer"],
  ["nothing", "", "nothing", ""],
])("%s answers it only when Send is pressed again", async (_name, draft, words, answer) => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}/input\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "/input\n\n## pi");
  editor.type(uri, draft);
  await editor.until(uri, "**pi asks (q1)");
  await editor.command("pi.chat.send");
  await editor.said(`Send again to answer q1 with ${words}.`);
  expect(editor.textOf(uri)).toMatch(new RegExp(`${draft}$`));
  await editor.command("pi.chat.send");
  expect(await answerOf(editor, "input")).toBe(answer);
});

test("what was being written answers a question when that is chosen", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}/input\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "/input\n\n## pi");
  editor.type(uri, "Grace");
  await editor.until(uri, "**pi asks (q1)");
  await editor.choose(uri, "pi: answer q1 with the text below");
  expect(await answerOf(editor, "input")).toBe("Grace");
});

test("the action of a question answers that one, and nothing when it is closed", async () => {
  const { editor, uri } = await opened('/input {"title":"first"}');
  void editor.talk.request("workspace/executeCommand", {
    command: "pi.prompt",
    arguments: [{ message: '/input {"title":"second"}' }],
  });
  await editor.until(uri, "**pi asks (q2)");
  editor.type(uri, "Grace");
  const actions = await editor.actions(uri);
  await editor.choose(uri, "pi: answer q2 with the text below");
  expect(await answerOf(editor, "input")).toBe("Grace");
  await editor.until(uri, "> You answered q2:\n>\n> Grace");
  editor.type(uri, "Ada");
  const late = actions.find(({ title }) => title === "pi: answer q2 with the text below")?.command;
  await editor.command("pi.chat.send", late?.arguments);
  await editor.said("That question is closed.");
  expect(editor.textOf(uri)).toMatch(/Ada$/);
  expect(await editor.titles(uri)).toContain("pi: answer q1 with the text below");
});

test("what is written in another chat answers a question when Send is pressed again, and nothing not instead", async () => {
  const { editor, uri } = await opened("/input");
  const other = editor.open("b.pi.md", `${CHAT}say: something else`);
  await editor.command("pi.chat.send", [other]);
  await editor.said("Send again to answer q1 with what you wrote.");
  editor.edit(other, CHAT);
  await editor.command("pi.chat.send", [other]);
  await editor.said("Send again to answer q1 with nothing.");
  expect(editor.textOf(uri)).not.toContain("You answered");
  await editor.command("pi.chat.send", [other]);
  expect(await answerOf(editor, "input")).toBe("");
});

test("a text that is there to be edited is put below the heading", async () => {
  const { editor, uri } = await opened("/editor");
  await editor.until(uri, (text) => /## You\s+Fix the cart\s*$/.test(text));
  editor.type(uri, "and more");
  await editor.command("pi.chat.send");
  expect(await answerOf(editor, "editor")).toBe("Fix the cart\nand more");
});

test("where the question's block was taken away, what became of it is told at the end", async () => {
  const { editor, uri } = await opened("/select");
  editor.edit(uri, editor.textOf(uri).replaceAll(/^>.*\n/gm, ""));
  await editor.command("pi.chat.answer", ["q1", "red"]);
  await editor.until(uri, "> You answered q1: **red**\n");
});

test("a dialog that pi gives up is closed in the chat", async () => {
  const { editor, uri } = await opened('/select {"timeout":300}');
  await editor.until(uri, "> 4. blue\n>\n> *q1 is closed.*\n");
  expect(await answerOf(editor, "select")).toBe(null);
  await editor.command("pi.chat.answer", ["q1", "red"]);
  await editor.said("That question is closed.");
});

/** Without a chat: the dialog of a command that is sent as it is. */
async function withoutChat(command: string, replies: ChatClientOptions["replies"], options: ChatClientOptions = {}) {
  const editor = await chatWith(newestPi, [], { replies: replies ?? {}, ...options });
  const params = { command: "pi.prompt", arguments: [{ message: command }] };
  // Its answer is waited for when the dialog is over, and not while it is open.
  editor.talk.asked.push("dialog");
  editor.talk.send({ jsonrpc: "2.0", id: "dialog", method: "workspace/executeCommand", params });
  return { editor, answer: () => editor.talk.answerTo("dialog", 0) };
}

test("without a chat the editor is asked, the safe answer first", async () => {
  const { editor, answer } = await withoutChat("/select", {
    "window/showMessageRequest": () => ({ result: { title: "blue" } }),
  });
  const asked = await editor.talk.until("window/showMessageRequest");
  expect(asked.params.actions).toEqual(["Cancel", "red", "green", "blue"].map((title) => ({ title })));
  expect(await answerOf(editor, "select")).toBe("blue");
  await answer();
});

test("an editor that cannot be asked gets a chat", async () => {
  const { editor, answer } = await withoutChat("/confirm", { "window/showMessageRequest": () => ({ code: -32601 }) });
  const shown = await editor.talk.until("window/showDocument");
  const uri = String(shown.params.uri);
  await editor.until(uri, "**pi asks (q1)");
  await editor.choose(uri, "pi: answer q1: Yes");
  expect(await answerOf(editor, "confirm")).toBe(true);
  await answer();
});

test.each([
  ["silence", () => undefined],
  ["an empty object", () => ({ result: {} })],
  ["null", () => ({ result: null })],
  ["a title that was not offered", () => ({ result: { title: "Cancel " } })],
  ["an error", () => ({ code: -32603 })],
])("%s is no answer: the chat is the second way, and the first is closed", async (_name, reply) => {
  const inMemory = { secondRouteMs: 100 };
  const { editor, answer } = await withoutChat("/select", { "window/showMessageRequest": reply }, { inMemory });
  const asked = await editor.talk.until("window/showMessageRequest");
  const shown = await editor.talk.until("window/showDocument");
  const uri = String(shown.params.uri);
  await editor.until(uri, "**pi asks (q1)");
  await editor.choose(uri, "pi: answer q1: red");
  expect(await answerOf(editor, "select")).toBe("red");
  if (reply() === undefined)
    await editor.talk.until(({ method, params }) => method === "$/cancelRequest" && params.id === asked.id);
  await answer();
});

test("a script that is no editor is not asked", async () => {
  const editor = await chatWith(newestPi, [], { initialize: { capabilities: {} } });
  await editor.command("pi.prompt", [{ message: "/select" }]);
  expect(editor.talk.all("window/showMessageRequest")).toEqual([]);
});

test("a session is chosen, or begun", async () => {
  const titles: string[][] = [];
  const replies: ChatClientOptions["replies"] = {
    "window/showMessageRequest": ({ params }) => {
      const actions = params.actions as { title: string }[];
      titles.push(actions.map(({ title }) => title));
      return { result: titles.length < 3 ? actions[1] : actions.at(-1) };
    },
  };
  const editor = await chatWith(newestPi, [], { replies });
  const session = async () => ((await editor.command("pi.bridge.state")) as { session: { id: string } }).session.id;
  await editor.command("pi.pick.session");
  await editor.said("pi has begun a new session.");
  expect(titles).toEqual([["Cancel", "A new one"]]);
  await editor.command("pi.prompt", [{ message: "say: stored" }]);
  await editor.talk.until("window/workDoneProgress/create");
  while (((await editor.command("pi.bridge.state")) as { activity: string }).activity !== "idle")
    await editor.command("pi.get_state");
  const first = await session();
  await editor.command("pi.pick.session");
  // The bridge asks pi for its state when the session is another one.
  while ((await session()) === first) await editor.command("pi.get_state");
  await editor.command("pi.pick.session");
  await editor.said("pi has the session open.");
  expect(titles[2]).toEqual(["Cancel", "A new one", expect.stringMatching(/ say: stored$/)]);
  while ((await session()) !== first) await editor.command("pi.get_state");
});

test("a model is chosen by a question", async () => {
  const editor = await chatWith(newestPi, [], {
    replies: {
      "window/showMessageRequest": ({ params }) => ({ result: (params.actions as { title: string }[]).at(-1) }),
    },
  });
  expect(await editor.command("pi.pick.thinking")).toBe(null);
  await editor.said("pi thinks");
  const { received } = editor.talk;
  const asked = received.findIndex(({ method }) => method === "window/showMessageRequest");
  // eglot drops a prompt that is open when the answer to the command comes.
  expect(received.slice(0, asked).filter(({ result }) => result === null)).toHaveLength(1);
  expect(await editor.command("pi.pick.model")).toBe(null);
  await editor.said("pi uses scripted/");
});

test("a question is a paragraph of its own, in a chat with nothing of this bridge's in it too", async () => {
  const editor = await chatWith(newestPi, [], { replies: { "window/showMessageRequest": () => ({ code: -32601 }) } });
  const uri = editor.open("a.pi.md", "# Chat\n\n## You\n\nask\n\n## pi\n\nThe answer.\n\n## You\n\n");
  await editor.command("pi.pick.thinking");
  await editor.until(uri, "## pi\n\nThe answer.\n\n> **pi asks (q1): How much thinking?**\n");
});
