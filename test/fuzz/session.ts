import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { serve } from "../../src/serve.ts";
import { frame, Unframer } from "../support/frames.ts";
import type { Random } from "../support/random.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { initialize, LAST_WORDS, message } from "./messages.ts";
import { mutateBytes, mutateValue } from "./mutate.ts";

/** How wild a session is: `bodies` are mutated in sound frames, `frames` and what is between them anyhow. */
export type Wildness = "bodies" | "frames";

/** A session hangs when it has not ended so long after its input has. */
const DEADLINE_MS = 30_000;

/**
 * One session from the first byte to the end of its input. Returns how many inputs it was given.
 * @throws when the bridge hangs, says what is no message, or answers a request twice or never.
 */
export async function session(sandbox: Sandbox, command: string[], random: Random, inputs: number): Promise<number> {
  const wildness: Wildness = random.pick(["bodies", "frames"]);
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number>((resolve) => {
    serve({
      ...{ input, output, version: "0", flags: {}, env: sandbox.env },
      launch: { command, args: [], session: undefined, name: undefined, remoteShell: false },
      ended: resolve,
    });
  });

  const said: Buffer[] = [];
  /** The requests that were sent as they are, in frames as they are. */
  const sound: string[] = [];
  const ids: string[] = [];
  const say = (bytes: Buffer) => {
    said.push(bytes);
    input.write(bytes);
  };
  const newId = () => {
    const id = `q${ids.length}`;
    ids.push(id);
    return id;
  };
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  if (random.below(10) > 0) say(frame(JSON.stringify(initialize(newId(), sandbox.project, random.below(4) === 0))));
  for (let count = 0; count < inputs && !isOver; count++) {
    const id = newId();
    const json = JSON.stringify(message(random, id, ids));
    const kind = random.below(10);
    if (kind < 4) {
      say(frame(json));
      if (json.includes(`"id":"${id}","method"`)) sound.push(id);
    } else if (kind < 7 || wildness === "bodies") say(frame(mutateValue(json, random)));
    else if (kind < 8) say(mutateBytes(frame(json), random));
    else if (kind < 9) say(frame(mutateBytes(Buffer.from(json), random)));
    else say(random.bytes(random.below(200)));
    // Now and then the bridge gets its turn.
    if (random.below(8) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (random.below(2) === 0) for (const words of LAST_WORDS) say(frame(JSON.stringify(words)));
  input.end();
  await inTime(ended);
  output.end();
  await finished(output);
  check(Buffer.concat(chunks), Buffer.concat(said).toString("latin1"), wildness === "bodies" ? sound : []);
  return said.length;
}

/** Whole messages only; no request answered twice; where the frames were sound, each that was sound answered. */
function check(output: Buffer, said: string, sound: readonly string[]): void {
  const unframer = new Unframer();
  const answers = new Map<unknown, number>();
  for (const body of unframer.push(output)) {
    const { jsonrpc, id, method } = JSON.parse(body.toString()) as { jsonrpc: unknown; id?: unknown; method?: unknown };
    if (jsonrpc !== "2.0") throw new Error(`no message: ${body.toString().slice(0, 200)}`);
    if (method === undefined) answers.set(id, (answers.get(id) ?? 0) + 1);
  }
  if (!unframer.isBetweenFrames) throw new Error("the output ends inside a message");
  // A mutation may have made one id into another; then it was asked as often as it stands there.
  const asked = new Map<string, number>();
  for (const [id = ""] of said.matchAll(/(?<!"params":\{"id":)"q\d+"/g)) asked.set(id, (asked.get(id) ?? 0) + 1);
  for (const [id, count] of answers) {
    const times = asked.get(JSON.stringify(id)) ?? 0;
    if (/^q\d+$/.test(String(id)) && count > times)
      throw new Error(`${id}: asked ${times} times, answered ${count} times`);
  }
  for (const id of sound) if (!answers.has(id)) throw new Error(`${id} was not answered`);
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the bridge hangs ${DEADLINE_MS} ms after its input has ended`)),
      DEADLINE_MS,
    );
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
