/**
 * A pi that plays a scenario: `node fake-pi.ts <scenario.jsonl>`; further words are noted and otherwise ignored.
 *
 * It is the player of `pi-language-server play`, and a scenario is what `src/trace/steps.ts` says. A command that does
 * not fit, or that is left when the scenario has ended, is a fault: one line on stderr, exit code 70. Starts, ends and
 * faults go to `<scenario>.log`.
 */
import { play } from "../../src/trace/play.ts";
import { readStepsOf } from "../../src/trace/steps.ts";
import { FAKE_STATE, FAKE_STATS } from "./scenario.ts";

const [file = "", ...words] = process.argv.slice(2);
await play(readStepsOf(file), words, { journal: `${file}.log`, strict: true, state: FAKE_STATE, stats: FAKE_STATS });
