import { spawn } from "node:child_process";
import { BridgeClient, PLAYER } from "./clients.ts";
import { type Figure, pairs, ratio } from "./figure.ts";

/** From spawning the bridge to its answer to `initialize`, against the least that Node takes to come and go. */
export async function start(): Promise<Figure[]> {
  const { value, one, other } = ratio(await pairs(25, initialized, nothing));
  return [
    {
      benchmark: "start",
      work: "`initialize` answered, from spawn: bridge / `node -e 0`",
      value,
      unit: "×",
      limit: 3,
      from: `${one.toFixed(0)} ms / ${other.toFixed(0)} ms`,
    },
  ];
}

async function initialized(): Promise<number> {
  const begin = performance.now();
  const client = await BridgeClient.initialize(PLAYER);
  const time = performance.now() - begin;
  await client.end();
  return time;
}

async function nothing(): Promise<number> {
  const begin = performance.now();
  await new Promise((resolve) => spawn(process.execPath, ["-e", "0"], { stdio: "pipe" }).once("exit", resolve));
  return performance.now() - begin;
}
