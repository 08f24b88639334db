import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { BridgeProcess } from "../support/bridge.ts";
import { fakePi, realPis } from "../support/pis.ts";
import { isRunning } from "../support/processes.ts";
import type { Step } from "../support/scenario.ts";
import { connect, initializeParams, type Talk, talkTo } from "../support/talk.ts";

type End = (editor: Talk) => unknown;

/** How a session ends, and how the bridge does. */
const ends: [name: string, end: End, code: number][] = [
  ["exit without shutdown", (editor) => editor.notify("exit"), 1],
  ["the end of the input", (editor) => editor.bridge.endInput(), 1],
  ["SIGTERM", (editor) => editor.bridge.kill("SIGTERM"), 143],
  ["SIGINT", (editor) => editor.bridge.kill("SIGINT"), 130],
  ["SIGHUP", (editor) => editor.bridge.kill("SIGHUP"), 129],
];

/** These need an initialized bridge. */
const goodEnds: typeof ends = [
  [
    "shutdown and exit",
    async (editor) => {
      await editor.shutDown();
      editor.notify("exit");
    },
    0,
  ],
  [
    "the end of the input after shutdown",
    async (editor) => {
      await editor.shutDown();
      editor.bridge.endInput();
    },
    0,
  ],
];

const pidOf = async (editor: Talk): Promise<number> => {
  const ready = await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  return (ready.params.pi as { pid: number }).pid;
};

test.for([...ends, ...goodEnds])(
  "%s ends pi, answers what is open, and then ends the bridge",
  async ([, end, code]) => {
    const scenario: Step[] = [{ expect: { type: "prompt" } }, { wait: "eof" }];
    const editor = await talkTo(fakePi, scenario);
    const pid = await pidOf(editor);
    const open = editor.request("pi/prompt", { message: "a thought" });
    await editor.call("bridge/state");
    await end(editor);
    expect(await editor.bridge.ended).toEqual({ code, signal: null, stderr: "" });
    expect(await open).toMatchObject({ error: { code: -32803, data: { kind: "exited", prompt: "a thought" } } });
    expect(isRunning(pid)).toBe(false);
  },
);

test.for([...ends, ...goodEnds])("%s before pi is ready", async ([, end, code]) => {
  const editor = await talkTo(fakePi, [{ state: null }]);
  await editor.until(({ method, params }) => method === "bridge/state" && params.pi !== undefined);
  const open = editor.request("pi/get_tree");
  await editor.call("bridge/state");
  await end(editor);
  expect(await editor.bridge.ended).toEqual({ code, signal: null, stderr: "" });
  expect(await open).toMatchObject({ error: { code: -32803, data: { kind: "exited" } } });
});

test.for(ends)("%s before initialize", async ([, end, code]) => {
  const editor = connect();
  await editor.call("rpc.discover");
  await end(editor);
  expect(await editor.bridge.ended).toEqual({ code, signal: null, stderr: "" });
});

test.for(realPis)("$name in the middle of a run and of a shell command is gone with the bridge", async (pi) => {
  const editor = await talkTo(pi);
  const pid = await pidOf(editor);
  await editor.call("pi/prompt", { message: 'say: busy\ntool: bash {"command":"sleep 600"}' });
  const bash = editor.request("pi/bash", { command: "echo $$; exec sleep 600" });
  await editor.until("pi/tool_execution_start");
  const update = await editor.until("pi/bash_execution_update");
  editor.bridge.endInput();
  expect(await editor.bridge.ended).toEqual({ code: 1, signal: null, stderr: "" });
  expect(await bash).toMatchObject({ error: { data: { kind: "exited" } } });
  expect(isRunning(pid)).toBe(false);
  expect(isRunning(Number(update.params.delta))).toBe(false);
});

test("a pi that does not end by itself is ended", async () => {
  const editor = await talkTo(fakePi, [{ stubborn: true }]);
  const pid = await pidOf(editor);
  await editor.close();
  expect(isRunning(pid)).toBe(false);
});

test("an editor that closes its end while it is being written to", async () => {
  const editor = await talkTo(fakePi, [
    { expect: { type: "get_tree" } },
    { send: { type: "note", text: "x".repeat(1000) }, times: 1_000_000 },
  ]);
  editor.request("pi/get_tree");
  await editor.until("pi/note");
  const { child } = editor.bridge as BridgeProcess;
  child.stdout?.destroy();
  editor.isCutOff = true;
  expect(await editor.bridge.ended).toMatchObject({ code: 1, signal: null });
  editor.asked.length = 0;
});

test("an editor that ends without a word is noticed by its process id", async () => {
  const parent = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  const editor = await talkTo(fakePi, [], { initialize: { processId: parent.pid } });
  await editor.call("bridge/state");
  parent.kill("SIGKILL");
  await once(parent, "exit");
  expect(await editor.bridge.ended).toEqual({
    code: 1,
    signal: null,
    stderr: `pi-language-server: the editor's process ${parent.pid} has ended\n`,
  });
});

test("--clientProcessId is watched as well", async () => {
  const parent = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  const editor = connect({ flags: [`--clientProcessId=${parent.pid}`] });
  await editor.call("initialize", initializeParams(editor, fakePi, [], { initialize: { processId: null } }));
  parent.kill("SIGKILL");
  expect(await editor.bridge.ended).toMatchObject({ code: 1 });
});

test("a process id that does not exist here is noted, and not watched", async () => {
  const gone = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(gone, "exit");
  const editor = await talkTo(fakePi, [], { initialize: { processId: gone.pid } });
  const { params } = await editor.until(
    ({ method, params }) => method === "window/logMessage" && /not watched/.test(String(params.message)),
  );
  expect(params.message).toContain(String(gone.pid));
});
