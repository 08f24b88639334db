import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";
import { answered, run } from "../support/traces.ts";

/** `PROMPTS=100000` for as long as one likes. */
const PROMPTS = Number(process.env.PROMPTS ?? 10_000);
/** What is loaded, compiled and grown to its size once is by then. */
const WARM_UP = PROMPTS / 4;
const SAMPLES_A_QUARTER = 50;
/** Twice what the bridge needs. Without a limit the collector lets garbage lie, and it looks like growth. */
const HEAP_MB = 24;
const SLACK_MB = 8;

test(`the bridge's memory after ${PROMPTS} prompts`, { timeout: PROMPTS * 100 }, async () => {
  const prompt: Step[] = [answered("prompt", { disposition: "started" }), ...run({ text: ["one", " two", " three"] })];
  const editor = await talkTo(fakePi, Array.from({ length: PROMPTS }, () => prompt).flat(), {
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
    initializationOptions: { env: { NODE_OPTIONS: "" } },
  });
  // The fake pi has much to read before it begins.
  editor.deadlineMs = PROMPTS * 10;
  const samples: number[] = [];
  const every = Math.max(1, Math.floor(WARM_UP / SAMPLES_A_QUARTER));
  for (let count = 1; count <= PROMPTS; count++) {
    const from = editor.received.length;
    const answer = editor.request("pi/prompt", { message: `prompt ${count}` });
    await editor.until("pi/agent_settled", from);
    expect(await answer).toEqual({ result: { disposition: "started" } });
    if (count % every === 0) samples.push(megabytes(editor.bridge.pid));
    // The books of this test are not to grow either.
    if (count % 100 === 0) editor.received.length = editor.asked.length = 0;
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const quarters = [1, 2, 3, 4].map((n) => median(samples.slice((n - 1) * SAMPLES_A_QUARTER, n * SAMPLES_A_QUARTER)));
  const text = quarters.map((value) => value.toFixed(0)).join(", ");
  console.log(`fake pi: ${PROMPTS} prompts; resident memory of the bridge in each quarter of them: ${text} MB`);
  const [, second = 0, , last = 0] = quarters;
  expect(last).toBeLessThan(second + SLACK_MB);
});

function megabytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kilobytes) / 1024;
}
