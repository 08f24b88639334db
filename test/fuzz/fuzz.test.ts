import { expect, onTestFinished, test } from "vitest";
import { Random } from "../support/random.ts";
import { Sandbox } from "../support/sandbox.ts";
import { session } from "./session.ts";

/** `FUZZ=1000000 SEED=7` for as long as one likes. */
const INPUTS = Number(process.env.FUZZ ?? 100_000);
const SEED = Number(process.env.SEED ?? 1);
const INPUTS_A_SESSION = 500;
/** A session keeps what it has read from pi for two minutes, which is longer than all of them take: this is no leak's size. */
const GROWTH_MB = 500;

/** A pi that answers every command at once, and starts faster than anything in JavaScript does. */
const QUICK_PI = `while IFS= read -r line; do
  id=\${line##*'"id":"'}; id=\${id%%'"'*}
  type=\${line##*'"type":"'}; type=\${type%%'"'*}
  printf '{"id":"%s","type":"response","command":"%s","success":true,"data":{"entries":[]}}\\n' "$id" "$type"
done
`;

test(`${INPUTS} inputs from an editor that is not to be trusted`, { timeout: INPUTS * 5 + 60_000 }, async () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const command = ["sh", sandbox.file("quick-pi.sh", QUICK_PI)];
  const memory = () => process.memoryUsage().rss / 1024 / 1024;
  let inputs = 0;
  let before: number | undefined;
  for (let seed = SEED * 1_000_000; inputs < INPUTS; seed++) {
    try {
      inputs += await session(sandbox, command, new Random(seed), INPUTS_A_SESSION);
    } catch (error) {
      throw new Error(`session of seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
    // What is loaded and compiled once is.
    if (inputs > INPUTS / 5) before ??= memory();
  }
  const grown = memory() - (before ?? 0);
  console.log(`${inputs} inputs, seed ${SEED}: no crash, no hang, nothing answered twice; ${grown.toFixed(0)} MB more`);
  expect(grown).toBeLessThan(GROWTH_MB);
});
