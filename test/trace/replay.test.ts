import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BUNDLE } from "../support/bridge.ts";
import { newestPi } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import { isDelta } from "../support/streams.ts";
import { connect, initializeParams, type Talk, talkTo } from "../support/talk.ts";

/** A bit of everything: a run with a tool, dialogs, a queue, an abort, bash, another session, a crash. */
async function converse(editor: Talk): Promise<void> {
  const run = 'think: Let me look.\ntool: bash {"command":"echo found"}\nsay: It is\u2028there.';
  await editor.call("pi/prompt", { message: run });
  let last = await editor.until("pi/agent_settled");

  const select = editor.request("pi/prompt", { message: "/select" });
  editor.answer(await editor.until("pi/ui/select"), { value: "green" });
  await select;
  await editor.call("pi/prompt", { message: "/announce" });

  await editor.call("pi/prompt", { message: "say: waiting\nhold" });
  await editor.until(isDelta("waiting"));
  await editor.call("pi/follow_up", { message: "say: later" });
  await editor.call("pi/clear_queue");
  await editor.call("pi/abort");
  last = await editor.until("pi/agent_settled", last);

  await editor.request("pi/bash", { command: "printf 'one\\ntwo\\n'" }, "bash");
  const bash = editor.request("pi/bash", { command: "echo on it; exec sleep 60" }, "long bash");
  await editor.until(({ method, params }) => method === "pi/bash_execution_update" && params.id === bash.id);
  editor.cancel(bash.id);
  await bash;
  await editor.call("pi/get_state");
  await editor.call("pi/new_session");
  await editor.request("pi/set_model", { provider: "nobody", modelId: "none" });
  await editor.call("pi/prompt", { message: "say: A new session." });
  await editor.until("pi/agent_settled", last);

  const death = await editor.request("pi/prompt", { message: "/die SIGKILL" });
  expect(death).toMatchObject({ error: { data: { kind: "exited", signal: "SIGKILL" } } });
  await editor.call("pi/get_messages");
}

/** All that the client saw, verbatim; but snapshots of the state are sent by the clock. */
function seen(editor: Talk): string[] {
  return editor.received
    .filter(({ method, id }) => method !== "bridge/state" && id !== "initialize" && id !== "last")
    .map(({ text }) => text);
}

test("a trace of real pi replays to what the client saw", async () => {
  const sandbox = new Sandbox();
  const log = join(sandbox.root, "trace.jsonl");
  const recorded = await talkTo(newestPi, [], { flags: ["--log", log] }, sandbox);
  await converse(recorded);
  const expected = seen(recorded);
  await recorded.close();
  const trace = readFileSync(log, "utf8");

  const replayed = connect({ flags: ["replay", log] });
  // What the client says of the pi to run does not count.
  const params = initializeParams(replayed, newestPi, [], {
    initializationOptions: { command: ["/nowhere/pi"], session: { file: "/nowhere/session.jsonl" }, name: "x" },
  });
  await replayed.request("initialize", params, "initialize");
  replayed.notify("initialized", {});
  await converse(replayed);
  expect(seen(replayed)).toEqual(expected);

  // At the end of the trace: it lives, tells its last state, and refuses the rest by name.
  expect(await replayed.request("pi/prompt", { message: "more" }, "last")).toEqual({
    error: {
      code: -32803,
      message: "The trace has no prompt from here on.",
      data: { kind: "rejected", command: "prompt" },
    },
  });
  expect(replayed.leftBehind().map(({ command }) => command.includes(" play "))).toEqual([false, true]);
  expect(readFileSync(log, "utf8")).toBe(trace);
});

test("a trace whose last line is cut off replays up to there", async () => {
  const sandbox = new Sandbox();
  const log = join(sandbox.root, "trace.jsonl");
  const editor = await talkTo(newestPi, [], { flags: ["--log", log] }, sandbox);
  const messages = await editor.call("pi/get_messages");
  await editor.close();
  const cut = join(sandbox.root, "cut.jsonl");
  writeFileSync(cut, `${readFileSync(log, "utf8")}{"time":"2026-01-01T00:00:00.000Z","fromPi":{"type":"agent_`);

  const replayed = connect({ flags: ["replay", cut] });
  await replayed.request("initialize", initializeParams(replayed, newestPi, []), "initialize");
  replayed.notify("initialized", {});
  expect(await replayed.call("pi/get_messages")).toEqual(messages);
  await replayed.close();
});

const folder = mkdtempSync(join(tmpdir(), "pi-ls-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
const SESSION = join(folder, "session.jsonl");
writeFileSync(SESSION, '{"type":"session","version":3,"id":"0198a7c0"}\n');

test.for<[what: string, words: string[], status: number, line: string | RegExp]>([
  ["no file", ["replay"], 2, "replay needs the file to replay"],
  ["a file that is not there", ["replay", "/nowhere.jsonl"], 2, /^replay: ENOENT.*nowhere\.jsonl/],
  ["a folder", ["replay", "/"], 2, /^replay: EISDIR/],
  ["a file that is no trace", ["replay", BUNDLE], 2, /^replay: .*, line 1 is not JSON/],
  [
    "a session of pi's",
    ["replay", SESSION],
    2,
    /^replay: .*session\.jsonl, line 1 is no step of a trace: \{"type":"session"/,
  ],
  ["a file with nothing in it", ["replay", "/dev/null"], 2, "replay: there is nothing to play in /dev/null"],
  ["two files", ["replay", "a", "b"], 2, 'unexpected argument "b"'],
  ["a pi to run", ["replay", "a", "--pi", "pi"], 2, "replay runs no pi: leave out --pi and what follows --"],
  ["words for pi", ["replay", "a", "--", "-c"], 2, "replay runs no pi: leave out --pi and what follows --"],
  ["no file to play", ["play"], 2, "play needs the file to play"],
  ["a file to play that is not there", ["play", "/nowhere.jsonl", "--mode", "rpc"], 2, /^play: ENOENT.*nowhere\.jsonl/],
  ["a file to play that is no trace", ["play", BUNDLE], 2, /^play: .*, line 1 is not JSON/],
])("%s", ([, words, status, line]) => {
  const result = spawnSync(process.execPath, [BUNDLE, ...words], { encoding: "utf8", input: "" });
  expect(result).toMatchObject({ status, stdout: "" });
  const [said = "", ...more] = result.stderr.trimEnd().split("\n");
  expect(said.replace("pi-language-server: ", "")).toEqual(
    typeof line === "string" ? line : expect.stringMatching(line),
  );
  expect(more).toEqual([]);
});
