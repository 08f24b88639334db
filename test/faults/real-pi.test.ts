import { expect, test } from "vitest";
import { newestPi, realPis } from "../support/pis.ts";
import { conversations, plan, runConversation } from "./campaign.ts";
import { Ledger } from "./ledger.ts";

/** `FAULTS=1000 SEED=7` for as long as one likes; `PI=0.84.0` for the other one. */
const FAULTS = Number(process.env.FAULTS ?? 40);
const SEED = Number(process.env.SEED ?? 1);
const PI = realPis.find(({ name }) => name === `pi ${process.env.PI}`) ?? newestPi;
/** Conversations at a time. */
const LANES = 2;
const A_FAULT_MS = 20_000;

test(`${FAULTS} faults in conversations with ${PI.name}`, { timeout: FAULTS * A_FAULT_MS }, async () => {
  const ledger = new Ledger();
  const waiting = conversations(plan(FAULTS, SEED)).entries();
  const lane = async () => {
    for (const [at, points] of waiting) await runConversation(PI, points, SEED * 1_000_000 + at, ledger);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(ledger.summary(PI.name));
  expect(ledger.failures).toEqual([]);
  expect(ledger.total).toBe(FAULTS);
});
