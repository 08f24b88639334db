import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { BridgeClient, type Client, folder, RawClient, REAL_PI } from "./clients.ts";
import { type Figure, median, pairs, ratio } from "./figure.ts";
import { MB, memory } from "./memory.ts";
import { undisturbed } from "./quiet.ts";

const SIZE = 64 * MB;
const MESSAGE = 64 * 1024;
const FIRST_BYTES = Buffer.from('{"messages":');

interface Answer {
  time: number;
  peak: number;
  data: Buffer;
}

/** Real pi with a session of 64 MB: the time until the whole answer to `get_messages` is in the client's memory. */
export async function largeResponse(): Promise<Figure[]> {
  const args = ["--session", await writeSession()];
  const measured = await pairs(
    5,
    undisturbed(async () => messages(await BridgeClient.start(REAL_PI, args))),
    undisturbed(async () => messages(await RawClient.start(REAL_PI, args))),
  );
  for (const { one, other } of measured)
    if (one.data.length < SIZE || !one.data.equals(other.data)) throw new Error("not what pi has answered");
  const time = ratio(measured.map(({ one, other }) => ({ one: one.time, other: other.time })));
  const size = measured[0]?.one.data.length ?? 0;
  const peak = median(measured.map(({ one }) => one.peak));
  return [
    {
      benchmark: "large-response",
      work: "real pi, 64 MB answer to `get_messages`: bridge / raw",
      value: time.value,
      unit: "×",
      limit: 2,
      from: `${time.one.toFixed(0)} ms / ${time.other.toFixed(0)} ms`,
    },
    {
      benchmark: "large-response",
      work: "the same, the bridge's peak memory / the answer's size",
      value: peak / size,
      unit: "×",
      limit: 4,
      from: `${(peak / MB).toFixed(0)} MB / ${(size / MB).toFixed(0)} MB`,
    },
  ];
}

async function messages(client: Client): Promise<Answer> {
  const begin = performance.now();
  const answer = await client.call("get_messages");
  const time = performance.now() - begin;
  const { peak } = memory(client.process.pid);
  await client.end();
  return { time, peak, data: answer.subarray(answer.indexOf(FIRST_BYTES), -1) };
}

/** A conversation in which the tool results are long, with the quotes and line ends that real ones have. */
async function writeSession(): Promise<string> {
  const file = join(folder, "session.jsonl");
  const out = createWriteStream(file);
  const timestamp = "2026-01-01T00:00:00.000Z";
  const line = (entry: object) => out.write(`${JSON.stringify(entry)}\n`);
  line({ type: "session", version: 3, id: "0198a7c0-0000-7000-8000-000000000000", timestamp, cwd: folder });
  const text = '  "name": "value", // äöü 漢字\n'.repeat(MESSAGE).slice(0, MESSAGE);
  let parentId: string | null = null;
  for (let at = 0, bytes = 0; bytes < SIZE; at++) {
    const id = at.toString(16).padStart(8, "0");
    const content = [{ type: "text", text: `${at} ${text}` }];
    const message = { role: "user", content, timestamp: 1_767_225_600_000 + at };
    line({ type: "message", id, parentId, timestamp, message });
    parentId = id;
    bytes += Buffer.byteLength(JSON.stringify(message));
  }
  out.end();
  await finished(out);
  return file;
}
