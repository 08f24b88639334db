import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BridgeClient, type Client, folder, PLAIN_BRIDGE, PLAYER, RawClient, REAL_PI } from "./clients.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { undisturbed } from "./quiet.ts";

const DELTAS = 200_000;
const RECORDED = 20_000;

/** 200,000 deltas that real pi has written, played again: the bridge's CPU time, and its wall time against `cat`'s. */
export async function replay(): Promise<Figure[]> {
  const file = await record();
  const message = JSON.stringify({ file });
  const cpu = ratio(
    await pairs(
      3,
      undisturbed(async () => (await play(await BridgeClient.start(PLAYER), message)).cpu),
      undisturbed(async () => (await play(await BridgeClient.start(PLAYER, [], PLAIN_BRIDGE), message)).cpu),
    ),
  );
  const wall = ratio(
    await pairs(
      5,
      undisturbed(async () => (await play(await BridgeClient.start(PLAYER), message)).wall),
      undisturbed(() => cat(file)),
    ),
  );
  return [
    {
      benchmark: "replay",
      work: "replay of 200,000 recorded deltas, CPU time: bridge / plain vscode-jsonrpc pipeline",
      value: cpu.value,
      unit: "×",
      limit: 0.1,
      from: `${cpu.one.toFixed(0)} ms / ${cpu.other.toFixed(0)} ms`,
    },
    {
      benchmark: "replay",
      work: "the same, wall time: bridge / `cat` into the same consumer",
      value: wall.value,
      unit: "×",
      from: `${wall.one.toFixed(0)} ms / ${wall.other.toFixed(0)} ms`,
    },
  ];
}

/** What pi writes for one long answer, ten times over, and the end of the run. */
async function record(): Promise<string> {
  const pi = await RawClient.start(REAL_PI);
  const lines: Buffer[] = [];
  pi.onRecord = (line) => {
    if (line.includes('"text_delta"')) lines.push(Buffer.from(`${line}\n`));
  };
  await pi.run(`Say ${RECORDED}`);
  await pi.end();
  const file = join(folder, "deltas.jsonl");
  const once = Buffer.concat(lines);
  writeFileSync(
    file,
    Buffer.concat([...Array(DELTAS / RECORDED).fill(once), Buffer.from('{"type":"agent_settled"}\n')]),
  );
  return file;
}

/** CPU is counted from when everything is started: the start has its own figure. */
async function play(client: Client, message: string): Promise<{ cpu: number; wall: number }> {
  const count = counting(client);
  const before = cpuTime(client);
  const wall = await client.run(message);
  const cpu = cpuTime(client) - before;
  await client.end();
  check(count());
  return { cpu, wall };
}

async function cat(file: string): Promise<number> {
  const start = performance.now();
  const client = new RawClient(["cat", file]);
  const count = counting(client);
  await client.event("agent_settled");
  check(count());
  return performance.now() - start;
}

function counting(client: Client): () => number {
  let records = 0;
  client.onRecord = () => {
    records += 1;
  };
  return () => records;
}

function check(records: number): void {
  if (records < DELTAS) throw new Error(`${records} of ${DELTAS} records have arrived`);
}

/** User and system time of all threads, in milliseconds. Linux counts them in hundredths of a second. */
function cpuTime({ process: { pid } }: Client): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}
