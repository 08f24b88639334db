import { expect, test } from "vitest";
import { RestartBudget } from "../../src/pi/budget.ts";

const SECOND = 1000;

/** The delays before the restarts that are asked for at these seconds; undefined: none is left. */
function delays(seconds: readonly number[]): (number | undefined)[] {
  const budget = new RestartBudget();
  return seconds.map((second) => budget.spend(second * SECOND));
}

test.for<[what: string, seconds: number[], delays: (number | undefined)[]]>([
  ["the first is at once, the next ones wait longer and longer", [0, 1, 2, 3, 4], [0, 500, 1000, 2000, 4000]],
  ["five are all there are", [0, 1, 2, 3, 4, 5, 6], [0, 500, 1000, 2000, 4000, undefined, undefined]],
  ["within three minutes", [0, 1, 2, 3, 4, 180, 181], [0, 500, 1000, 2000, 4000, undefined, 4000]],
  ["a pi that dies now and then is back at once", [0, 200, 400, 600], [0, 0, 0, 0]],
])("%s", ([, seconds, expected]) => {
  expect(delays(seconds)).toEqual(expected);
});

test("a refused restart is not counted, and a reset gives all back", () => {
  const budget = new RestartBudget();
  expect([budget.isUsed, budget.isSpent(0)]).toEqual([false, false]);
  for (let at = 0; at < 5; at++) budget.spend(at);
  expect([budget.isUsed, budget.isSpent(5)]).toEqual([true, true]);
  for (let at = 0; at < 100; at++) expect(budget.spend(1000 + at)).toBeUndefined();
  expect(budget.isSpent(180 * SECOND + 1)).toBe(false);
  budget.reset();
  expect([budget.isUsed, budget.isSpent(5)]).toEqual([false, false]);
  expect(budget.spend(6)).toBe(0);
});
