import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../../src/pi/proc.ts";
import { BUNDLE } from "../support/bridge.ts";
import { frame } from "../support/frames.ts";
import { fakePi, newestPi } from "../support/pis.ts";
import { isRunning } from "../support/processes.ts";
import { Sandbox } from "../support/sandbox.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { poll } from "./conversation.ts";

/** Waits until there is a process whose command line starts with START. The shell that is to start it has that in its command line, too. */
async function started(editor: Talk, start: string): Promise<number> {
  const pid = await poll(() => editor.leftBehind().find(({ command }) => command.startsWith(start))?.pid);
  if (pid === undefined) throw new Error(`${start} was not started`);
  return pid;
}

const FAKE_PI = `${process.execPath} ${resolve(import.meta.dirname, "../support/fake-pi.ts")}`;

async function isGone(pid: number): Promise<boolean> {
  return (await poll(() => (isRunning(pid) ? undefined : true))) === true;
}

/** Has the agent run COMMAND. Resolves when it is at work. */
async function tool(editor: Talk, command: string, isAtWork: string): Promise<number> {
  await editor.call("pi/prompt", { message: `tool: bash ${JSON.stringify({ command })}` });
  return started(editor, isAtWork);
}

async function killPi(editor: Talk): Promise<void> {
  const { pi } = (await editor.call("bridge/state")) as { pi: { pid: number } };
  process.kill(pi.pid, "SIGKILL");
  await editor.until(
    ({ method, params }) => method === "bridge/state" && params.phase === "ready" && params.restarts === 1,
  );
}

test("of a killed pi the shells and what runs in them are ended; what has left them on purpose is not", async () => {
  const editor = await talkTo(newestPi);
  const command =
    "setsid sleep 50001 & sleep 50002 & (trap '' TERM HUP; sleep 50003) & nohup sleep 50004 & sleep 50005";
  const last = await tool(editor, command, "sleep 50005");
  const bash = editor.request("pi/bash", { command: "sleep 50006 | cat" });
  const inShells = [
    last,
    ...(await Promise.all([50002, 50003, 50004, 50006].map((n) => started(editor, `sleep ${n}`)))),
  ];
  const daemon = await started(editor, "sleep 50001");
  await killPi(editor);
  expect(await bash).toMatchObject({ error: { data: { kind: "exited", signal: "SIGKILL" } } });
  for (const pid of inShells) expect(await isGone(pid)).toBe(true);
  expect(isRunning(daemon)).toBe(true);
  process.kill(daemon, "SIGKILL");
  await isGone(daemon);
});

const ends: [how: string, end: (editor: Talk) => unknown][] = [
  ["the end of the input", ({ bridge }) => bridge.endInput()],
  ["SIGTERM", ({ bridge }) => bridge.kill("SIGTERM")],
  ["shutdown and exit", (editor) => editor.close()],
  ["the bridge's death", ({ bridge }) => bridge.kill("SIGKILL")],
];

test.for(ends)("what has a process group of its own in a running shell ends with it: %s", async ([, end]) => {
  const editor = await talkTo(newestPi);
  const inTool = await tool(editor, "timeout 60000 sleep 50020; echo", "sleep 50020");
  editor.request("pi/bash", { command: "timeout 60000 sleep 50021; echo" });
  const inBash = await started(editor, "sleep 50021");
  const { pi } = (await editor.call("bridge/state")) as { pi: { pid: number } };
  await end(editor);
  await editor.bridge.ended;
  for (const pid of [inTool, inBash, pi.pid]) expect(await isGone(pid)).toBe(true);
  expect(await poll(() => (guardsOf(pi.pid).length === 0 ? true : undefined))).toBe(true);
  editor.asked.length = 0;
});

/** The guards of this pi, which have nothing of it in their environment. */
function guardsOf(pi: number): number[] {
  return listProcesses().flatMap(({ pid }) => {
    const words = readCommand(pid);
    return words.includes("pi-language-server-guard") && words.includes(`${pi}`) ? [pid] : [];
  });
}

function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

test.for<[string, (editor: Talk) => Promise<void>]>([
  ["pi is killed", killPi],
  ["all end in order", (editor) => editor.close()],
])("a daemon that leaves its shell's session while pi is idle is spared when %s", async ([, end]) => {
  const editor = await talkTo(newestPi);
  const command = "mkfifo fifo; (cat fifo; setsid -f sleep 50030) < /dev/null > /dev/null 2>&1 & echo";
  await editor.call("pi/bash", { command });
  await editor.until(({ method, params }) => method === "bridge/state" && params.activity === "idle");
  writeFileSync(join(editor.sandbox.project, "fifo"), "");
  const daemon = await started(editor, "sleep 50030");
  await end(editor);
  const survived = isRunning(daemon);
  if (survived) process.kill(daemon, "SIGKILL");
  expect(survived).toBe(true);
  await isGone(daemon);
});

/** The command line of a bridge with a fake pi and an editor that says no more than it must, and the pi's journal. */
function nestedBridge(sandbox: Sandbox): { command: string; journal: string } {
  const inner = { root: sandbox.root, file: sandbox.file.bind(sandbox) } as Sandbox;
  const initializationOptions = fakePi.launch(inner, [{ wait: "eof" }]);
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { capabilities: { experimental: { pi: { events: true } } }, initializationOptions },
    },
    { method: "initialized", params: {} },
  ].map((message) => frame(JSON.stringify({ jsonrpc: "2.0", ...message })));
  const words = sandbox.file("words", Buffer.concat(messages).toString());
  return {
    command: `(cat ${words}; sleep 50010) | ${process.execPath} ${BUNDLE} > ${sandbox.root}/out`,
    journal: `${sandbox.root}/scenario.jsonl.log`,
  };
}

test("a bridge in a session of its own, and its pi, outlive the pi in whose tool they were started", async () => {
  const sandbox = new Sandbox();
  const editor = await talkTo(newestPi, [], {}, sandbox);
  const { command } = nestedBridge(sandbox);
  const pi = await tool(editor, `setsid sh -c '${command}' & sleep 50011`, FAKE_PI);
  const shell = await started(editor, "sleep 50011");
  await killPi(editor);
  expect(await isGone(shell)).toBe(true);
  expect(isRunning(pi)).toBe(true);
  // Its editor ends: then it does, too.
  process.kill(await started(editor, "sleep 50010"), "SIGKILL");
  // The outer bridge and its new pi are left.
  expect(await poll(() => editor.leftBehind().length === 2 || undefined)).toBe(true);
  expect(isRunning(pi)).toBe(false);
});

test("a nested bridge is ended with the shell that it runs in, and its pi ends as it should", async () => {
  const sandbox = new Sandbox();
  const editor = await talkTo(newestPi, [], {}, sandbox);
  const { command, journal } = nestedBridge(sandbox);
  const pi = await tool(editor, command, FAKE_PI);
  expect(await poll(() => existsSync(journal) || undefined)).toBe(true);
  await killPi(editor);
  expect(await isGone(pi)).toBe(true);
  // By the end of its input, and not by a signal.
  expect(readFileSync(journal, "utf8")).toContain('{"end":0}');
});

test("a pi that its extension shuts down has not crashed; the next request goes on with the session", async () => {
  const editor = await talkTo(newestPi);
  await editor.call("pi/prompt", { message: "say: one" });
  await editor.until("pi/agent_settled");
  const before = (await editor.call("pi/get_state")) as { sessionId: string };
  await editor.call("pi/prompt", { message: "/quit" });
  const stopped = await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "stopped");
  expect(stopped.params).not.toHaveProperty("error");
  expect(await editor.call("pi/get_last_assistant_text")).toEqual({ text: "one" });
  expect(await editor.call("pi/get_state")).toMatchObject({ sessionId: before.sessionId });
  expect(editor.all("window/showMessage")).toEqual([]);
});
