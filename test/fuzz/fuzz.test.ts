import { onTestFinished, test } from "vitest";
import { Random } from "../support/random.ts";
import { Sandbox } from "../support/sandbox.ts";
import { session } from "./session.ts";

/** `FUZZ=1000000 SEED=7` for as long as one likes. */
const INPUTS = Number(process.env.FUZZ ?? 100_000);
const SEED = Number(process.env.SEED ?? 1);
const INPUTS_A_SESSION = 500;

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
  let inputs = 0;
  for (let seed = SEED * 1_000_000; inputs < INPUTS; seed++) {
    try {
      inputs += await session(sandbox, command, new Random(seed), INPUTS_A_SESSION);
    } catch (error) {
      throw new Error(`session of seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
  console.log(`${inputs} inputs, seed ${SEED}: no crash, no hang, nothing answered twice`);
});
