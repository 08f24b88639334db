import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";
import { answered, run } from "../support/traces.ts";

/** `PROMPTS=100000` for as long as one likes. */
const PROMPTS = Number(process.env.PROMPTS ?? 10_000);
/** A few at a time: the round trips would take most of the time. */
const AT_A_TIME = 20;
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
  for (let done = 0; done < PROMPTS; done += AT_A_TIME) {
    const from = editor.received.length;
    const answers = Array.from({ length: AT_A_TIME }, (_, at) =>
      editor.request("pi/prompt", { message: `${done + at}` }),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toEqual({ result: { disposition: "started" } });
    await editor.until(() => editor.all("pi/agent_settled").length === AT_A_TIME, from);
    samples.push(megabytes(editor.bridge.pid));
    // The books of this test are not to grow either.
    editor.received.length = editor.asked.length = 0;
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const quarter = samples.length / 4;
  const quarters = [0, 1, 2, 3].map((n) => median(samples.slice(n * quarter, (n + 1) * quarter)));
  const text = quarters.map((value) => value.toFixed(0)).join(", ");
  console.log(`fake pi: ${PROMPTS} prompts; resident memory of the bridge in each quarter of them: ${text} MB`);
  const [, second = 0, , last = 0] = quarters;
  expect(last).toBeLessThan(second + SLACK_MB);
});

function megabytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kilobytes) / 1024;
}
