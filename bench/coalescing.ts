import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { BridgeClient, folder, PLAYER, RawClient, REAL_PI } from "./clients.ts";
import { answerTime } from "./deltas.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { MB } from "./memory.ts";

const DELTAS = 20_000;
const MESSAGE_MS = 1;
const UPDATES = 500;
const FINAL = 5 * MB;

/** What coalescing is for: an editor to which every message is dear, and a tool that repeats its whole output each time. */
export async function coalescing(): Promise<Figure[]> {
  return [...(await slowEditor()), await cumulativeOutput()];
}

/** Real pi and 20,000 deltas, for a client that is busy for a millisecond with every message. */
async function slowEditor(): Promise<Figure[]> {
  const counts: number[] = [];
  const measured = await pairs(
    3,
    async () => {
      const client = await start(REAL_PI);
      let messages = 0;
      client.onRecord = () => {
        messages += 1;
        const end = performance.now() + MESSAGE_MS;
        while (performance.now() < end);
      };
      const time = await client.run(`Say ${DELTAS}`);
      await client.end();
      counts.push(messages);
      return time;
    },
    async () => answerTime(await RawClient.start(REAL_PI)),
  );
  const { value, one, other } = ratio(measured);
  const most = Math.max(...counts);
  return [
    {
      benchmark: "coalescing",
      work: "20,000 deltas for a client that needs 1 ms a message, coalesced: time / raw pi with a fast client",
      value,
      unit: "×",
      limit: 1.2,
      from: `${one.toFixed(0)} ms / ${other.toFixed(0)} ms`,
    },
    {
      benchmark: "coalescing",
      work: "the same: messages to the client",
      value: most,
      unit: "",
      limit: 1000,
      from: counts.join(", "),
    },
  ];
}

/** 500 updates of one tool call; each repeats the output so far, which grows to 5 MB. */
async function cumulativeOutput(): Promise<Figure> {
  const { file, bytes: raw } = await writeUpdates();
  const client = await start(PLAYER);
  let bytes = 0;
  client.onRecord = (record) => {
    if (record.includes("tool_execution_update")) bytes += record.length;
  };
  await client.run(JSON.stringify({ file }));
  await client.end();
  return {
    benchmark: "coalescing",
    work: "500 cumulative updates of an output that grows to 5 MB, coalesced: bytes to the editor / final size",
    value: bytes / FINAL,
    unit: "×",
    limit: 2,
    from: `${(bytes / MB).toFixed(1)} MB / ${FINAL / MB} MB; pi wrote ${(raw / MB).toFixed(0)} MB`,
  };
}

async function start(pi: readonly string[]): Promise<BridgeClient> {
  const client = await BridgeClient.start(pi);
  const settings = { pi: { events: true, coalesce: { ms: 33 } } };
  const body = JSON.stringify({ jsonrpc: "2.0", method: "workspace/didChangeConfiguration", params: { settings } });
  client.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  // Answered after it.
  await client.call("get_state");
  return client;
}

async function writeUpdates(): Promise<{ file: string; bytes: number }> {
  const file = join(folder, "updates.jsonl");
  const out = createWriteStream(file);
  const line = "a line of the output of a tool, of 64 characters and a line end\\n";
  const output = line.repeat(FINAL / line.length);
  for (let at = 1; at <= UPDATES; at++) {
    const text = output.slice(0, Math.floor(output.length / line.length / UPDATES) * line.length * at);
    const partialResult = `{"content":[{"type":"text","text":"${text}"}]}`;
    const head = '{"type":"tool_execution_update","toolCallId":"call_1","toolName":"bash","args":{"command":"make"}';
    if (!out.write(`${head},"partialResult":${partialResult}}\n`))
      await new Promise<void>((resolve) => out.once("drain", resolve));
  }
  out.end('{"type":"agent_settled","aborted":false}\n');
  await finished(out);
  return { file, bytes: out.bytesWritten };
}
