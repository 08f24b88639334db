import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { BridgeProcess } from "../support/bridge.ts";
import { fakePi } from "../support/pis.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { poll } from "./conversation.ts";

const MB = 1024 * 1024;
/** What the bridge may take in, the pipes and Node's own buffers included. */
const TAKEN_MB = 40;
const RESIDENT_MB = 160;
const STILL_MS = 500;

/** Waits until the number stands still, and gives it. */
async function held(read: () => number): Promise<number> {
  let last = { value: read(), since: Date.now() };
  await poll(() => {
    const value = read();
    if (value !== last.value) last = { value, since: Date.now() };
    return Date.now() - last.since > STILL_MS || undefined;
  });
  return last.value;
}

/** Bytes that a process has written so far. */
function written(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

function residentMb(editor: Talk): number {
  const status = readFileSync(`/proc/${editor.bridge.pid}/status`, "latin1");
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) / 1024;
}

async function piOf(editor: Talk): Promise<number> {
  const ready = await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  return (ready.params.pi as { pid: number }).pid;
}

test("an editor that does not read holds pi up; nothing is lost", async () => {
  const count = 20_000;
  const editor = await talkTo(fakePi, [
    { expect: { type: "bash" }, as: "bash" },
    { send: { type: "note", n: "$n", filler: "x".repeat(10_000) }, times: count },
    { to: "bash", reply: {} },
  ]);
  const pi = await piOf(editor);
  editor.bridge.pause();
  const bash = editor.request("pi/bash", { command: "ls" });
  await poll(() => written(pi) > 100_000 || undefined);
  expect((await held(() => written(pi))) / MB).toBeLessThan(TAKEN_MB);
  expect(residentMb(editor)).toBeLessThan(RESIDENT_MB);
  editor.bridge.resume();
  expect(await bash).toEqual({ result: {} });
  const notes = editor.all("pi/note").map(({ params }) => Number(params.n));
  expect(notes).toEqual(Array.from({ length: count }, (_, n) => n));
});

test("a pi that does not read holds the editor up; nothing is lost", async () => {
  const count = 120;
  const replies = Array.from({ length: count }, (_, n) => ({ expect: { type: "bash" }, reply: { n } }));
  const editor = await talkTo(fakePi, replies);
  const pi = await piOf(editor);
  process.kill(pi, "SIGSTOP");
  const command = "x".repeat(MB);
  const requests = replies.map(() => editor.request("pi/bash", { command }));
  const left = () => (editor.bridge as BridgeProcess).child.stdin?.writableLength ?? 0;
  expect(count - (await held(left)) / MB).toBeLessThan(TAKEN_MB);
  expect(residentMb(editor)).toBeLessThan(RESIDENT_MB);
  process.kill(pi, "SIGCONT");
  expect(await Promise.all(requests)).toEqual(replies.map(({ reply }) => ({ result: reply })));
});
