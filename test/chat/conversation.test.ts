import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { newestPi, realPis } from "../support/pis.ts";
import { type ChatClient, chatWith } from "./chat-client.ts";

const CHAT = "# Chat\n\n## You\n\n";

/** Sends the chat TEXT. @returns it when the answer is there */
async function sentFrom(editor: ChatClient, text: string): Promise<string> {
  const uri = editor.open("a.pi.md", text);
  await editor.command("pi.chat.send");
  return editor.until(uri, "pi session:");
}

/** Calls COMMAND, whose edit is refused. The next one is made. */
async function refused(editor: ChatClient, command: string): Promise<void> {
  const edits = editor.talk.all("workspace/applyEdit").length;
  editor.refusesEdits = true;
  await editor.command(command);
  await editor.talk.until(() => editor.talk.all("workspace/applyEdit").length > edits);
  editor.refusesEdits = false;
}

test.each(realPis)("a prompt, its answer, and the next prompt meanwhile, $name", async (pi) => {
  const editor = await chatWith(pi);
  const uri = editor.open("a.pi.md", `${CHAT}say: Hello there.`);
  expect(await editor.titles(uri)).toEqual(["Send to pi", "pi: rebuild the transcript"]);
  await editor.choose(uri, "Send to pi");
  await editor.until(uri, "## pi");
  editor.type(uri, "\nthe next one");
  await editor.until(uri, "Hello there.");
  const text = await editor.until(uri, "pi session:");
  expect(text.replace(/<!-- pi session: \S+ -->\n/, "")).toBe(
    "# Chat\n\n## You\n\nsay: Hello there.\n\n## pi\n\nHello there.\n\n## You\n\n\nthe next one",
  );
});

test("a chat in a new file goes on after it was saved", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.openNew("new.pi.md", `${CHAT}say: one of two`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "pi session:");
  editor.save(uri);
  editor.type(uri, "say: two of two");
  expect(await editor.titles(uri)).toContain("Send to pi");
  await editor.command("pi.chat.send");
  await editor.until(uri, "## pi\n\ntwo of two\n\n## You");
});

test("a turn whose heading was deleted is not sent as a prompt", async () => {
  const editor = await chatWith(newestPi);
  const text = await sentFrom(editor, `${CHAT}say: one`);
  const uri = editor.open("a.pi.md", `${text.slice(0, text.lastIndexOf("## You"))}say: two`);
  for (const command of ["pi.chat.send", "pi.chat.follow_up"]) {
    await editor.command(command);
    await editor.said("“## You” is missing above what you have written.");
  }
  editor.edit(uri, editor.textOf(uri).replace("say: two", "## You\n\nsay: two"));
  await editor.command("pi.chat.send");
  await editor.until(uri, "## pi\n\none\n\n## You\n\nsay: two\n\n## pi\n\ntwo\n\n## You");
});

test("of two chats, the one that was opened or edited last is sent from when none is named", async () => {
  const editor = await chatWith(newestPi);
  const first = editor.open("first.pi.md", `${CHAT}say: one of two`);
  await editor.command("pi.chat.send");
  await editor.until(first, "pi session:");
  editor.type(first, "a draft");
  const second = editor.open("second.pi.md", `${CHAT}say: two of two`);
  await editor.command("pi.chat.send");
  await editor.until(second, "## pi\n\ntwo of two\n\n## You");
  await editor.said("It goes on in pi's session; pi.pick.session begins one.");
  expect(editor.textOf(first)).toMatch(/a draft$/);
  editor.edit(first, editor.textOf(first).replace("a draft", "say: three of two"));
  await editor.command("pi.chat.send");
  await editor.until(first, "three of two\n\n## You");
  expect(editor.talk.all("window/showMessage")).toHaveLength(1);
});

test("a prompt of one chat that goes to the run of another: it is said where it will stand", async () => {
  const editor = await chatWith(newestPi);
  const first = editor.open("first.pi.md", `${CHAT}say: one of two\nhold`);
  await editor.command("pi.chat.send");
  await editor.until(first, "one of two\n\n## You");
  const second = editor.open("second.pi.md", `${CHAT}say: two of two`);
  await editor.command("pi.chat.send");
  await editor.said("It goes to first.pi.md, where pi works.");
  await editor.command("pi.prompt", ["/release"]);
  await editor.until(first, "## You\n\nsay: two of two\n\n## pi\n\ntwo of two\n\n## You");
  expect(editor.textOf(second).trimEnd()).toBe(CHAT.trimEnd());
});

test("thinking and tools are a line each, a diff is fenced", async () => {
  const editor = await chatWith(newestPi);
  editor.open("cart.ts", "const a = 1;\n", "typescript");
  const script = [
    "think: Let me see.",
    "say: First the tools.",
    'tool: bash {"command":"printf \'one\\\\ntwo\\\\n\'"}',
    "say: Then a file.",
    'tool: read {"path":"nowhere.ts"}',
    "say: And a change.",
    'tool: edit {"path":"cart.ts","edits":[{"oldText":"1","newText":"2"}]}',
    "say: Done.",
  ];
  const uri = editor.open("a.pi.md", `${CHAT}${script.join("\n")}\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "Done.\n\n## You");
  const text = editor.textOf(uri);
  const answer = text
    .slice(text.indexOf("## pi\n\n") + 7, text.lastIndexOf("\n\n## You"))
    .replace(editor.talk.sandbox.project, "…");
  expect(answer).toMatchInlineSnapshot(`
    "> *Let me see.*

    First the tools.

    - **bash** \`printf 'one\\ntwo\\n'\` → 2 lines, 8 B

    Then a file.

    - **read** \`nowhere.ts\` → failed: ENOENT: no such file or directory, access '…/nowhere.ts'

    And a change.

    - **edit** \`cart.ts\` → +1 −1

    \`\`\`diff
    @@ -1,1 +1,1 @@
    -const a = 1;
    +const a = 2;
    \`\`\`

    Done."
  `);
  await editor.said("pi has changed cart.ts on the disk: reload it here.");
  const line = text.split("\n").findIndex((one) => one.startsWith("- **bash**"));
  const hover = await editor.talk.call("textDocument/hover", {
    textDocument: { uri },
    position: { line, character: 3 },
  });
  const value = "**bash**\n\n```sh\nprintf 'one\\ntwo\\n'\n```\n\n```\none\ntwo\n```";
  expect(hover).toEqual({ contents: { kind: "markdown", value } });
});

test("a file with unsaved changes that pi writes is told of as such, until it is saved", async () => {
  const editor = await chatWith(newestPi);
  const code = editor.open("cart.ts", "const a = 1;\n", "typescript");
  const edit = (from: number, to: number) =>
    `say: ${to}\ntool: edit {"path":"cart.ts","edits":[{"oldText":"${from}","newText":"${to}"}]}\nsay: Done ${to}.`;
  editor.edit(code, "const a = 1;\nconst b = 2;\n");
  const uri = editor.open("a.pi.md", `${CHAT}${edit(1, 3)}\n`);
  await editor.command("pi.chat.send", [uri]);
  await editor.said("pi has changed cart.ts on the disk, and it has unsaved changes here: saving would undo pi's.");
  await editor.until(uri, "Done 3.\n\n## You");
  await editor.until(uri, "pi session:");
  editor.talk.notify("textDocument/didSave", { textDocument: { uri: code } });
  editor.type(uri, edit(3, 4));
  await editor.command("pi.chat.send", [uri]);
  await editor.said("pi has changed cart.ts on the disk: reload it here.");
});

test("while it runs, Send steers; abort brings back what waits", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: begun\nstall\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "begun\n\n## You");
  editor.type(uri, "\nsay: steered");
  await editor.command("pi.chat.send");
  await editor.until(uri, (text) => !text.includes("steered"));
  editor.type(uri, "\nsay: later");
  await editor.command("pi.chat.follow_up");
  await editor.until(uri, (text) => !text.includes("later"));
  expect(await editor.titles(uri)).toEqual(["Send to pi", "pi: stop"]);
  await editor.talk.until("workspace/inlayHint/refresh");
  await editor.command("pi.chat.abort");
  await editor.until(uri, "*Stopped.*");
  const text = await editor.until(uri, "say: later");
  expect(text.slice(text.lastIndexOf("## You"))).toBe("## You\n\nsay: steered\n\nsay: later\n");
  expect(text).toContain("begun\n\n*Stopped.*\n\n## You");
});

test("a document whose name is not escaped is in nobody's way", async () => {
  const editor = await chatWith(newestPi);
  writeFileSync(join(editor.talk.sandbox.project, "cart.ts"), "const a = 1;\n");
  const textDocument = { uri: "file:///100%.txt", languageId: "plaintext", version: 0, text: "" };
  editor.talk.notify("textDocument/didOpen", { textDocument });
  const script = 'tool: edit {"path":"cart.ts","edits":[{"oldText":"1","newText":"2"}]}\nsay: Done.';
  const uri = editor.open("a.pi.md", `${CHAT}${script}`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "Done.\n\n## You");
});

test.each(realPis)("what is sent while pi still starts is not lost, $name", async (pi) => {
  const editor = await chatWith(pi);
  const uri = editor.open("a.pi.md", `${CHAT}say: one of two`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "## pi");
  editor.type(uri, "say: two of two");
  await editor.command("pi.chat.send");
  const text = await editor.until(uri, "## pi\n\ntwo of two\n\n## You");
  expect(text).toContain("## pi\n\none of two\n\n## You\n\nsay: two of two\n");
});

test("what is typed after Send or a follow-up is not sent with it", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: begun\nstall`);
  await refused(editor, "pi.chat.send");
  editor.type(uri, "\nsay: later");
  await editor.until(uri, "begun\n\n## You\n\nsay: later");
  await refused(editor, "pi.chat.follow_up");
  editor.type(uri, "\nthe next one");
  await editor.until(uri, "begun\n\n## You\n\nthe next one");
  await editor.command("pi.chat.abort");
  await editor.until(uri, "the next one\n\nsay: later\n");
});

test("abort takes back what has not gone yet", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: begun\nstall`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "begun\n\n## You");
  editor.type(uri, "say: later");
  await refused(editor, "pi.chat.follow_up");
  await editor.command("pi.chat.abort");
  editor.type(uri, " than that");
  // Both are written after it would have gone.
  await editor.until(uri, "*Stopped.*");
  const text = await editor.until(uri, "pi session:");
  expect(text).toMatch(/begun\n\n\*Stopped\.\*\n\n## You\n\nsay: later than that$/);
  expect(await editor.command("pi.get_state")).toMatchObject({ pendingMessageCount: 0, isStreaming: false });
});

test("a steering message stands in the transcript when pi gets it", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: one\nhold\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "one\n\n## You");
  editor.type(uri, "\nsay: two");
  await editor.command("pi.chat.send");
  await editor.until(uri, (text) => !text.includes("say: two"));
  editor.type(uri, "\n/release");
  await editor.command("pi.chat.send");
  await editor.until(uri, "## You\n\nsay: two\n\n## pi\n\ntwo\n\n## You");
});

test("a document that was cleared is written into again from the next prompt on", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: begun\nhold\nsay: more`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "begun\n\n## You");
  editor.edit(uri, "");
  await editor.said("The answer's place is gone: ");
  editor.type(uri, "say: again");
  await editor.command("pi.chat.send");
  await editor.until(uri, (text) => text.trim() === "## You");
  await editor.command("pi.chat.send");
  await editor.said("Nothing to send");
  await editor.command("pi.prompt", ["/release"]);
  const text = await editor.until(uri, "pi session:");
  expect(text.replace(/<!-- .* -->\n/, "").trim()).toBe("## You\n\nsay: again\n\n## pi\n\nagain\n\n## You");
  expect(editor.talk.all("window/showMessage")).toHaveLength(2);
});

test("an extension's command starts no run, and a refusal says why", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}/name shop\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "/name shop\n\n## pi\n\n*Done.*\n\n## You");
  editor.type(uri, "\nsay: next");
  await editor.command("pi.chat.send");
  await editor.until(uri, "## pi\n\nnext\n\n## You");
});

test("progress goes from the start to the end of a run, and stops it", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}think: hm\ntool: bash {"command":"true"}\nsay: x\nstall\n`);
  await editor.command("pi.chat.send");
  const create = await editor.talk.until("window/workDoneProgress/create");
  const { token } = create.params;
  await editor.until(uri, "x\n\n## You");
  editor.talk.notify("window/workDoneProgress/cancel", { token });
  await editor.talk.until(
    ({ method, params }) => method === "$/progress" && (params.value as { kind: string }).kind === "end",
  );
  const all = editor.talk.all("$/progress").map(({ params }) => params as { token: string; value: Value });
  type Value = { kind: string; message?: string };
  expect(new Set(all.map((one) => one.token))).toEqual(new Set([token]));
  const [begin, ...rest] = all.map(({ value }) => value);
  // What is under way when the editor has made it, it begins with.
  const said = ["starting", "waiting for the model", "thinking", "bash true", "waiting for the model", "writing"];
  const at = said.indexOf(begin?.message ?? "");
  expect(begin).toEqual({ kind: "begin", title: "pi", cancellable: true, message: said[at] });
  const reports = said.slice(at + 1).map((message) => ({ kind: "report", message }));
  expect(rest).toEqual([...reports, { kind: "end" }]);
  await editor.until(uri, "*Stopped.*");
});

test("the chat is opened on the disk first, and a question from a file is answered in it", async () => {
  const editor = await chatWith(newestPi);
  const code = editor.open(
    "src/a.ts",
    "function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n",
    "typescript",
  );
  const diagnostics = [
    { range: { start: { line: 5, character: 2 }, end: { line: 5, character: 3 } }, message: "wrong", source: "tsc" },
  ];
  const actions = await editor.actions(code, { diagnostics }, 5);
  expect(actions.map(({ title, kind }) => `${kind} ${title}`)).toEqual([
    "refactor pi: ask about the function here",
    "refactor pi: explain the function here",
    "refactor pi: write tests for the function here",
    "refactor pi: review the function here",
    "quickfix pi: fix this problem",
  ]);
  expect(await editor.titles(code, { diagnostics, only: ["quickfix"] })).toEqual(["pi: fix this problem"]);
  const fix = actions.at(-1)?.command;
  expect(await editor.command("pi.ask.fix", fix?.arguments)).toBe(null);
  const shown = await editor.talk.until("window/showDocument");
  const belowHeading = { line: 3, character: 0 };
  expect(shown.params.selection).toEqual({ start: belowHeading, end: belowHeading });
  const uri = String(shown.params.uri);
  await editor.until(uri, "This is the scripted model speaking.");
  expect(editor.textOf(uri)).toContain(
    "## You\n\nLook at @src/a.ts#L5-7\n\nFix there:\n\n- line 6: error: wrong (tsc)\n\n## pi\n\n",
  );
  editor.edit(code, "function one() {\n  return 3;\n}\n");
  await editor.command("pi.ask.selection");
  const drafted = await editor.until(
    uri,
    "## You\n\n@src/a.ts#L1-3, which is not saved; this is its text now:\n\n```typescript\nfunction one() {",
  );
  const behind = { line: drafted.trimEnd().split("\n").length - 1, character: 3 };
  await editor.talk.until(
    ({ method, params }) =>
      method === "window/showDocument" && isDeepStrictEqual(params.selection, { start: behind, end: behind }),
  );
});

test("a file that is rebuilt, and resumed by a later bridge", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `${CHAT}say: kept`);
  await editor.command("pi.chat.send");
  const text = await editor.until(uri, "pi session:");
  editor.edit(uri, `${text.replace("kept\n\n## You", "spoilt\n\n## You")}draft`);
  await editor.command("pi.chat.rebuild");
  await editor.until(uri, (now) => now.includes("## pi\n\nkept\n\n## You") && now.endsWith("draft"));
  const id = /pi session: (\S+)/.exec(text)?.[1];
  await editor.command("pi.new_session");
  const current = async () => (await editor.command("pi.bridge.state")) as { session: { id: string } };
  while ((await current()).session.id === id) await editor.command("pi.get_state");
  const other = editor.open("b.pi.md", editor.textOf(uri).replace("draft", "say: again"));
  await editor.said("earlier session");
  await editor.command("pi.chat.send", [other]);
  await editor.until(other, "## pi\n\nagain\n\n## You");
  expect((await current()).session.id).toBe(id);
  await editor.said("pi has left its session");
});

test("a chat of an earlier session offers to resume it", async () => {
  const first = await chatWith(newestPi);
  const text = await sentFrom(first, `${CHAT}say: kept`);
  const id = /pi session: (\S+)/.exec(text)?.[1];
  await first.talk.close();
  const editor = await chatWith(newestPi, [], {}, first.talk.sandbox);
  const uri = editor.open("a.pi.md", text);
  await editor.said("Of an earlier session: ");
  expect(await editor.titles(uri)).toEqual(["Send to pi", "pi: resume this session", "pi: rebuild the transcript"]);
  expect(await editor.command("pi.bridge.state")).toMatchObject({ phase: "stopped" });
  await editor.choose(uri, "pi: resume this session");
  await editor.said("pi has this chat's session open.");
  expect(await editor.command("pi.bridge.state")).toMatchObject({ session: { id } });
  expect(await editor.titles(uri)).toEqual(["Send to pi", "pi: rebuild the transcript"]);
  const plain = editor.open("b.pi.md", CHAT);
  await editor.command("pi.chat.resume", [plain]);
  await editor.said("This chat has no session yet");
});

test("pi's prompt templates are code actions, once pi runs", async () => {
  const editor = await chatWith(newestPi);
  mkdirSync(join(editor.talk.sandbox.agentDir, "prompts"), { recursive: true });
  writeFileSync(join(editor.talk.sandbox.agentDir, "prompts/shorten.md"), "say: shorter $1\n");
  const code = editor.open("a.ts", "const a = 1;\n", "typescript");
  const uri = editor.open("a.pi.md", `${CHAT}say: begun`);
  await editor.command("pi.chat.send", [uri]);
  await editor.until(uri, "pi session:");
  expect(await editor.titles(code)).toContain("pi: /shorten the function here");
  await editor.choose(code, "pi: /shorten the function here");
  await editor.until(uri, "shorter @a.ts");
});

test("an ordinary file costs nothing", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("README.md", "# Read me\n\n## You\n\ntext\n");
  for (const method of ["documentSymbol", "foldingRange", "codeLens", "inlayHint"])
    expect(await editor.talk.call(`textDocument/${method}`, { textDocument: { uri } })).toBe(null);
  await editor.actions(uri);
  expect(await editor.command("pi.bridge.state")).toMatchObject({ phase: "stopped" });
  expect(editor.talk.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test("a prompt reaches pi with LF, whatever the document has", async () => {
  const editor = await chatWith(newestPi);
  const text = await sentFrom(editor, "# Chat\r\n\r\n## You\r\n\r\none\r\n\r\ntwo\r\n");
  expect(text).toContain("## You\r\n\r\none\r\n\r\ntwo\r\n\r\n## pi\r\n\r\nThis is");
  const { messages } = (await editor.talk.call("pi/get_messages", {})) as {
    messages: { role: string; content: unknown }[];
  };
  expect(messages.find(({ role }) => role === "user")?.content).toEqual([{ type: "text", text: "one\n\ntwo" }]);
});

test.each(["Neovim", "Eglot"])(
  "%s starts one server a project: the chat is in it, and not in its history",
  async (name) => {
    const editor = await chatWith(newestPi, [], { name });
    await editor.command("pi.chat.open");
    const shown = await editor.talk.until("window/showDocument");
    const folder = join(editor.talk.sandbox.project, ".pi", "chats");
    expect(dirname(fileURLToPath(String(shown.params.uri)))).toBe(realpathSync(folder));
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  },
);

test("a chat that the editor cannot show is written into its file", async () => {
  const editor = await chatWith(newestPi, [], { replies: { "window/showDocument": () => ({ result: null }) } });
  editor.open("a.ts", "const a = 1;\n", "typescript");
  await editor.command("pi.ask.explain");
  const said = await editor.said("The chat with pi is in ");
  const path = /in (.*\.pi\.md):/.exec(String(said.params.message))?.[1] ?? "";
  // The file is written when the run is over, and nothing on the wire tells of that.
  const text = () => readFileSync(path, "utf8");
  while (!text().includes("speaking.")) await editor.command("pi.get_state");
  expect(text().replace(/<!-- .* -->\n/, "")).toBe(
    "# pi: project\n\n## You\n\nExplain @a.ts\n\n## pi\n\nThis is the scripted model speaking.\n\n## You\n\n",
  );
  expect(editor.talk.all("workspace/applyEdit")).toEqual([]);
});

test("what was sent and not saved is gone from the file, and its answer is not written there", async () => {
  const editor = await chatWith(newestPi);
  const uri = editor.open("a.pi.md", `# Chat\n\nabove\n\n## You\n\nsay: begun\nhold\nsay: more\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "begun\n\n## You");
  editor.close(uri);
  await editor.command("pi.prompt", ["/release"]);
  await editor.said("The answer's place is gone: ");
  const text = () => readFileSync(fileURLToPath(uri), "utf8");
  // The file is written when the run is over, and nothing on the wire tells of that.
  while (!text().includes("pi session:")) await editor.command("pi.get_state");
  expect(text().replace(/<!-- .* -->\n/, "")).toBe("# Chat\n\nabove\n\n## You\n\nsay: begun\nhold\nsay: more\n");
});
