import fc from "fast-check";
import { expect, test } from "vitest";
import { DIALOG_KINDS } from "./dialog-kinds.ts";
import { Model } from "./model.ts";
import { ready } from "./ready.ts";

/** One step, by name, so that a counterexample can be read. */
type Step = [name: string, take: (model: Model) => void | Promise<void>];

const which = fc.nat(9);
const commands = {
  ordinary: ["prompt", "steer", "follow_up", "compact", "bash", "get_messages", "set_session_name"],
  overtaking: ["abort", "abort_bash"],
  alone: ["new_session", "switch_session", "fork", "clone"],
};
const request = (names: string[]) =>
  fc.constantFrom(...names).map((name): Step => [name, (model) => model.request(name)]);
const kind = fc.constantFrom(...DIALOG_KINDS);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: request(commands.ordinary) },
  { weight: 2, arbitrary: request(commands.overtaking) },
  { weight: 4, arbitrary: request(commands.alone) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(which, fc.constantFrom("data" as const, "none" as const, "error" as const))
      .map(([n, how]): Step => [`pi answers ${n}: ${how}`, (model) => model.answer(n, how)]),
  },
  { weight: 3, arbitrary: which.map((n): Step => [`cancel ${n}`, (model) => model.cancel(n)]) },
  { weight: 3, arbitrary: kind.map((name): Step => [`pi opens ${name}`, (model) => model.open(name)]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(kind, fc.boolean())
      .map(
        ([name, isAnswered]): Step => [
          `${name} for 1 ms, ${isAnswered}`,
          (model) => model.openShortly(name, isAnswered),
        ],
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(which, fc.constantFrom("good" as const, "wrong" as const, "error" as const, "null" as const))
      .map(([n, how]): Step => [`reply to ${n}: ${how}`, (model) => model.reply(n, how)]),
  },
  { weight: 1, arbitrary: which.map((n): Step => [`late reply to ${n}`, (model) => model.replyLate(n)]) },
);
const restart: fc.Arbitrary<Step> = fc.constant(["bridge/restart", (model) => model.restart()]);

/** `ORDERS=5000` for as long as one likes. */
const RUNS = Number(process.env.ORDERS ?? 300);

async function holds(steps: fc.Arbitrary<Step[]>, numRuns: number): Promise<void> {
  const { editor, pi } = await ready();
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      // The connection is the same in every run; what a failed one has left behind is not.
      const model = new Model(editor, pi);
      try {
        for (const [, take] of taken) await take(model);
        await model.finish();
      } catch (error) {
        throw new Error(`${taken.map(([name]) => name).join("; ")}: ${(error as Error).message}`);
      }
    }),
    { numRuns, endOnFailure: true },
  );
  expect(editor.asked.length).toBeGreaterThan(numRuns);
}

test("commands and dialogs keep their rules in any order", { timeout: RUNS * 1000 }, async () => {
  await holds(fc.array(step, { minLength: 1, maxLength: 25 }), RUNS);
});

test("and so they do when pi is restarted in between", { timeout: RUNS * 1000 }, async () => {
  const steps = fc.tuple(fc.array(step, { maxLength: 10 }), restart, fc.array(step, { maxLength: 10 }));
  await holds(
    steps.map(([before, between, after]) => [...before, between, ...after]),
    Math.ceil(RUNS / 20),
  );
});
