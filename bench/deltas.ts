import { BridgeClient, type Client, RawClient, REAL_PI } from "./clients.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { undisturbed } from "./quiet.ts";

const DELTAS = 20_000;
/** Single pairs are up to a tenth apart: pi's own compiler and collector run beside it, or do not. */
const PAIRS = 11;

/** Real pi, one answer of 20,000 text deltas: what the bridge adds to the time from the prompt to the end of the run. */
export async function deltas(): Promise<Figure[]> {
  const measured = await pairs(
    PAIRS,
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

/** The time of one answer, by a client that counts. */
export async function answerTime(client: Client): Promise<number> {
  let records = 0;
  client.onRecord = () => {
    records += 1;
  };
  const time = await client.run(`Say ${DELTAS}`);
  await client.end();
  if (records < DELTAS) throw new Error(`${records} records for ${DELTAS} deltas have arrived`);
  return time;
}
