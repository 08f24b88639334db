import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mannerOf } from "../../src/features/chat/clients.ts";
import { Writer } from "../../src/features/chat/writer.ts";
import { newestPi } from "../support/pis.ts";
import { type ChatClientOptions, chatWith } from "./chat-client.ts";
import { SimulatedClock } from "./simulated-editor.ts";

const CHAT = "# Chat\n\n## You\n\n";

/** All that this server asks of an editor. */
const REQUESTS = [
  "workspace/applyEdit",
  "window/showDocument",
  "window/showMessageRequest",
  "window/workDoneProgress/create",
  "workspace/inlayHint/refresh",
  "workspace/codeLens/refresh",
];

type Reply = NonNullable<ChatClientOptions["replies"]>[string];
const toAll = (reply: Reply) => Object.fromEntries(REQUESTS.map((method) => [method, reply]));

const kinds: [string, Reply][] = [
  ["never answers", () => undefined],
  ["answers null", () => ({ result: null })],
  ["knows no request", () => ({ code: -32601 })],
];

test.each(kinds)("an editor that %s has a chat without edits, and hangs nothing", async (_name, reply) => {
  const editor = await chatWith(newestPi, [], { replies: toAll(reply), inMemory: { secondRouteMs: 0 } });
  const uri = editor.open("a.pi.md", `${CHAT}say: hello\n`);
  for (const command of ["pi.chat.send", "pi.chat.open", "pi.pick.thinking", "pi.chat.abort"])
    expect(await editor.command(command)).toBe(null);
  // What the document does not show is not sent.
  expect(editor.textOf(uri)).toBe(`${CHAT}say: hello\n`);
  expect(await editor.command("pi.get_messages")).toEqual({ messages: [] });
  expect(await editor.talk.call("textDocument/documentSymbol", { textDocument: { uri } })).toHaveLength(1);
});

test.each(kinds)("an editor that %s and has no chat open gets the dialog into a file", async (_name, reply) => {
  const editor = await chatWith(newestPi, [], { replies: toAll(reply), inMemory: { secondRouteMs: 0 } });
  const sent = editor.talk.request("workspace/executeCommand", {
    command: "pi.prompt",
    arguments: [{ message: "/select" }],
  });
  await editor.said("pi asks in the chat: ");
  expect(await editor.command("pi.chat.answer", ["q1", "red"])).toBe(null);
  await editor.said('{"select":"red"}');
  expect(await sent).toHaveProperty("result");
});

test("an editor that makes an edit, tells of it and never says so holds a conversation", async () => {
  const editor = await chatWith(newestPi, [], { replies: toAll(() => undefined), appliesInSilence: true });
  const uri = editor.open("a.pi.md", `${CHAT}say: hello\n`);
  await editor.command("pi.chat.send");
  await editor.until(uri, "## pi\n\nhello\n\n## You");
});

test("where no chat can be made the person is told, and the dialog is refused", async () => {
  const editor = await chatWith(newestPi, [], {
    replies: toAll(() => ({ result: null })),
    env: { XDG_STATE_HOME: "" },
  });
  // A file where the state folder would be.
  writeFileSync(join(editor.talk.sandbox.home, ".local"), "");
  await editor.command("pi.chat.open");
  await editor.said(".local");
  await editor.command("pi.prompt", [{ message: "/input" }]);
  await editor.said("There is no chat to answer in");
  await editor.said('{"input":null}');
});

test("an answer that cannot be written into the chat's file is told of", async () => {
  const editor = await chatWith(newestPi, [], { replies: toAll(() => ({ result: null })) });
  editor.open("a.ts", "const a = 1;\n", "typescript");
  await editor.command("pi.ask.explain");
  const said = await editor.said("The chat with pi is in ");
  const path = /in (.*\.pi\.md):/.exec(String(said.params.message))?.[1] ?? "";
  rmSync(path);
  mkdirSync(path);
  await editor.said("The answer cannot be written into file://");
});

test.each([
  ["refuses every edit", (writer: Writer, id: number) => writer.replied(id, false)],
  ["does not reply to edits", () => {}],
])("of an editor that %s the person hears once", (_name, reply) => {
  const clock = new SimulatedClock();
  const trouble: string[] = [];
  const writer: Writer = new Writer(
    mannerOf("helix"),
    { send: (id) => void clock.after(1, () => reply(writer, id)), trouble: (what) => trouble.push(what) },
    clock,
  );
  writer.opened(CHAT, 0);
  writer.append("an answer");
  clock.pass(120_000);
  writer.append(" and more");
  clock.pass(120_000);
  expect(trouble).toEqual(["refused"]);
});
