import { BridgeClient, type Client, PLAYER, RawClient } from "./clients.ts";
import { type Figure, median, pairs, percentile } from "./figure.ts";
import { undisturbed } from "./quiet.ts";

const DELTAS = 2000;

/** How much later a delta arrives through the bridge, when one is written every millisecond. */
export async function latency(): Promise<Figure[]> {
  const measured = await pairs(
    5,
    undisturbed(async () => delays(await BridgeClient.start(PLAYER))),
    undisturbed(async () => delays(await RawClient.start(PLAYER))),
  );
  const figure = (percent: number, limit: number): Figure => {
    const at = measured.map(({ one, other }) => [percentile(one, percent), percentile(other, percent)] as const);
    return {
      benchmark: "latency",
      work: `added latency per event, p${percent}`,
      value: median(at.map(([bridge, raw]) => bridge - raw)),
      unit: "ms",
      limit,
      from: `${median(at.map(([bridge]) => bridge)).toFixed(3)} ms − ${median(at.map(([, raw]) => raw)).toFixed(3)} ms`,
    };
  };
  return [figure(50, 0.5), figure(99, 2)];
}

/** From when a delta was written to when it was read, in milliseconds: both processes read the same clock. */
async function delays(client: Client): Promise<number[]> {
  const found: number[] = [];
  client.onRecord = (record) => {
    const now = process.hrtime.bigint() / 1000n;
    const at = record.indexOf('"delta":"');
    if (at === -1) return;
    const written = /^\d+/.exec(record.toString("latin1", at + '"delta":"'.length))?.[0];
    found.push(Number(now - BigInt(written ?? 0)) / 1000);
  };
  await client.run(JSON.stringify({ ticks: DELTAS }));
  await client.end();
  if (found.length !== DELTAS) throw new Error(`${found.length} of ${DELTAS} deltas have arrived`);
  return found;
}
