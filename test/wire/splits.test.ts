import { expect, test } from "vitest";
import { frame } from "../support/frames.ts";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";

/** Two bytes, three, four, and the line ends that are none. */
const TEXT = 'é—🦋\u2028\u2029\u0085\\ "\n';

/** Lets the other side read what was written: a turn of the event loop for each stream on the way. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a request that is split at every byte", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "split", method: "pi/levitate", params: { text: TEXT } });
  const bytes = frame(body);
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  const editor = await talkTo(
    fakePi,
    cuts.map(() => ({ exactly: { type: "levitate", text: TEXT }, reply: { heard: TEXT } })),
    { inMemory: true },
  );
  for (const cut of cuts) {
    const answer = editor.answerTo("split");
    editor.bytes(bytes.subarray(0, cut));
    await turn();
    editor.bytes(bytes.subarray(cut));
    expect(await answer, `cut at ${cut}`).toEqual({ result: { heard: TEXT } });
  }
});

test("requests a byte at a time", async () => {
  const count = 5;
  const editor = await talkTo(
    fakePi,
    Array.from({ length: count }, () => ({ exactly: { type: "levitate", text: TEXT }, reply: { heard: TEXT } })),
    { inMemory: true },
  );
  for (let at = 0; at < count; at++) {
    editor.asked.push(`byte ${at}`);
    const body = { jsonrpc: "2.0", id: `byte ${at}`, method: "pi/levitate", params: { text: TEXT } };
    for (const byte of frame(JSON.stringify(body))) editor.bytes(Buffer.of(byte));
  }
  for (let at = 0; at < count; at++)
    expect(await editor.answerTo(`byte ${at}`, 0)).toEqual({ result: { heard: TEXT } });
});

test("a record of pi's that is split at every byte", async () => {
  const record = {
    type: "message_update",
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: TEXT },
  };
  const bytes = Buffer.from(`${JSON.stringify(record)}\r\n`);
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  const editor = await talkTo(
    fakePi,
    [
      { expect: { type: "levitate" }, reply: null },
      ...cuts.flatMap((cut): Step[] => [
        { base64: bytes.subarray(0, cut).toString("base64") },
        { stderr: `cut at ${cut}\n` },
        { expect: { type: "levitate" }, as: "go" },
        { base64: bytes.subarray(cut).toString("base64") },
        { to: "go", reply: null },
      ]),
    ],
    { inMemory: true },
  );
  // The bridge's own questions have been answered: an answer must not get between two pieces.
  await editor.until(({ method, params }) => method === "bridge/state" && "usage" in params);
  await editor.call("pi/levitate");
  for (const cut of cuts) {
    // The first piece was written before this word on stderr, and is read before the command below goes out.
    await editor.until(({ method, params }) => method === "window/logMessage" && params.message === `cut at ${cut}`);
    await editor.call("pi/levitate");
  }
  const updates = editor.all("pi/message_update");
  expect(updates.length).toBe(cuts.length);
  for (const { params } of updates) expect(params).toEqual(record);
});
