import { BridgeClient, type Client, RawClient, REAL_PI } from "./clients.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { undisturbed } from "./quiet.ts";

const DELTAS = 20_000;

/** Real pi, one answer of 20,000 text deltas: what the bridge adds to the time from the prompt to the end of the run. */
export async function deltas(): Promise<Figure[]> {
  const measured = await pairs(
    5,
    undisturbed(async () => answerTime(await BridgeClient.start(REAL_PI))),
    undisturbed(async () => answerTime(await RawClient.start(REAL_PI))),
  );
  const { value, one, other } = ratio(measured);
  return [
    {
      benchmark: "deltas",
      work: "real pi, 20,000 text deltas, prompt to `agent_settled`: bridge / `pi --mode rpc`",
      value,
      unit: "×",
      limit: 1.1,
      from: `${one.toFixed(0)} ms / ${other.toFixed(0)} ms`,
    },
  ];
}

/** @param delta what only the record of a delta contains. */
export async function answerTime(client: Client, delta = '"text_delta"'): Promise<number> {
  let seen = 0;
  client.onRecord = (record) => {
    if (record.includes(delta)) seen += 1;
  };
  const time = await client.run(`Say ${DELTAS}`);
  await client.end();
  if (seen < DELTAS) throw new Error(`${seen} of ${DELTAS} deltas have arrived`);
  return time;
}
