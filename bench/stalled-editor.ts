import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { BridgeClient, folder, PLAYER } from "./clients.ts";
import type { Figure } from "./figure.ts";
import { forgetPeak, MB, memory } from "./memory.ts";

const BURST = 100 * MB;
const STALL_MS = 5000;
const DELTA = Buffer.from('"delta":"');

/** pi writes 100 MB as fast as it can, and the editor does not read for 5 s in the middle of it. */
export async function stalledEditor(): Promise<Figure[]> {
  const { file, records } = await writeBurst();
  const client = await BridgeClient.start(PLAYER);
  const { pid, stdout } = client.process;
  let next = 0;
  let wrong = 0;
  client.onRecord = (record) => {
    const at = record.indexOf(DELTA);
    if (at === -1) return;
    if (Number.parseInt(record.toString("latin1", at + DELTA.length, at + DELTA.length + 10), 10) !== next) wrong += 1;
    next += 1;
    if (next === 1000) {
      stdout.pause();
      void sleep(STALL_MS).then(() => stdout.resume());
    }
  };
  const before = memory(pid).now;
  forgetPeak(pid);
  const time = await client.run(JSON.stringify({ file }));
  const { peak } = memory(pid);
  await client.end();
  if (time < STALL_MS) throw new Error("the editor has not been stalled");
  const benchmark = "stalled-editor";
  return [
    {
      benchmark,
      work: "editor stalled for 5 s in a burst of 100 MB: growth of the bridge's memory",
      value: (peak - before) / MB,
      unit: "MB",
      limit: 64,
      from: `${(peak / MB).toFixed(0)} MB − ${(before / MB).toFixed(0)} MB`,
    },
    {
      benchmark,
      work: "the same, records lost or out of order",
      value: wrong + Math.abs(records - next),
      unit: "",
      limit: 0,
      from: `${next} of ${records} have arrived, ${wrong} not in their place`,
    },
  ];
}

/** Numbered deltas. */
async function writeBurst(): Promise<{ file: string; records: number }> {
  const file = join(folder, "burst.jsonl");
  const out = createWriteStream(file);
  const usage = { input: 1200, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 1201 };
  let records = 0;
  for (let bytes = 0; bytes < BURST; records++) {
    const delta = `${records} ${"word ".repeat(records % 40)}`;
    const assistantMessageEvent = { type: "text_delta", contentIndex: 0, delta };
    const line = `${JSON.stringify({ type: "message_update", usage, assistantMessageEvent })}\n`;
    out.write(line);
    bytes += line.length;
  }
  out.end('{"type":"agent_settled","aborted":false}\n');
  await finished(out);
  return { file, records };
}
