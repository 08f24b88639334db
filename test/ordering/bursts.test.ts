import fc from "fast-check";
import { expect, test } from "vitest";
import { commandSpec } from "../../src/protocol/commands.ts";
import type { Pending } from "../support/editor.ts";
import { frame } from "../support/frames.ts";
import type { PiRecord } from "../support/scenario.ts";
import { ready } from "./ready.ts";

/** `ORDERS=5000` for as long as one likes. */
const RUNS = Number(process.env.ORDERS ?? 300);

const command = fc.constantFrom(
  ...["prompt", "prompt", "steer", "bash", "bash", "set_session_name", "abort", "abort_bash", "fork", "switch_session"],
);
/** A request, or the cancellation of an earlier one; `isCut`: what came so far leaves in one chunk. */
const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ send: command, isCut: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat(30), isCut: fc.boolean() }) },
);
/** Which of the commands that it has pi answers when the next one arrives: none, the first, the second, … */
const answers = fc.array(fc.nat(3), { minLength: 1, maxLength: 8 });

/** The one parameter of a command, by which it is known again. */
const PARAM: Record<string, string> = {
  ...{ prompt: "message", steer: "message", bash: "command" },
  ...{ set_session_name: "name", fork: "entryId", switch_session: "sessionPath" },
};

test("a burst of requests and cancellations, while pi answers as it likes", { timeout: RUNS * 1000 }, async () => {
  const { editor, pi } = await ready();
  // Behind the ids that the editor gives by itself.
  const first = 1_000_000;
  let id = first;
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 30 }), answers, async (moves, plan) => {
      const arrived: { mark: number; record: PiRecord; alone: number | undefined; isEarly: boolean }[] = [];
      const unanswered: PiRecord[] = [];
      const isAlone = ({ type }: PiRecord) => commandSpec(type)?.order === "alone";
      const answer = (record: PiRecord | undefined) => {
        if (!record) return;
        unanswered.splice(unanswered.indexOf(record), 1);
        pi.answer(record, { mark: markOf(record) });
      };
      pi.onCommand = (record) => {
        // What the bridge sends to stop something has no mark, and is answered.
        if (!/^r\d/.test(String(record.id))) return;
        const alone = unanswered.find(isAlone);
        const isEarly = unanswered.some(({ type }) => type === "prompt" && record.type === "prompt");
        arrived.push({ mark: markOf(record), record, alone: alone && markOf(alone), isEarly });
        unanswered.push(record);
        const which = plan[arrived.length % plan.length] ?? 0;
        if (which > 0) answer(unanswered[which - 1]);
      };

      const asked: { mark: number; command: string; request: Pending }[] = [];
      const chunk: Buffer[] = [];
      const post = (message: object) => chunk.push(frame(JSON.stringify({ jsonrpc: "2.0", ...message })));
      for (const one of moves) {
        if ("send" in one) {
          const mark = ++id;
          const param = PARAM[one.send];
          post({ id: mark, method: `pi/${one.send}`, params: param ? { [param]: String(mark) } : {} });
          asked.push({ mark, command: one.send, request: editor.answerTo(mark) });
        } else if (asked.length > 0)
          post({ method: "$/cancelRequest", params: { id: asked[one.cancel % asked.length]?.mark } });
        if (one.isCut) editor.bytes(Buffer.concat(chunk.splice(0)));
      }
      editor.bytes(Buffer.concat(chunk.splice(0)));

      // pi answers what it has for as long as it gets something.
      const all = Promise.all(asked.map(({ request }) => request));
      let isOver = false;
      void all.then(() => (isOver = true));
      while (!isOver) {
        answer(unanswered[0]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const results = new Map((await all).map((result, at) => [asked[at]?.mark, result]));
      // What came late, and would come if it were wrong.
      while (unanswered.length > 0) answer(unanswered[0]);
      await editor.call("bridge/state");

      for (const { mark, command: name } of asked) {
        const own = arrived.filter((one) => one.mark === mark && one.record.type === name);
        const result = results.get(mark) as { error?: { code: number; message: string }; result?: unknown };
        const text = `${name} ${mark}: ${JSON.stringify(result)}`;
        if (PARAM[name]) expect(own.length, text).toBeLessThanOrEqual(1);
        if (result.error) expect(result.error.code, text).toBe(-32800);
        else if (PARAM[name]) expect(result, text).toEqual({ result: { mark } });
        if (!result.error && PARAM[name]) expect(own, text).toHaveLength(1);
        if (result.error?.message.includes("was not sent")) expect(own, text).toEqual([]);
      }
      const ordinary = arrived.filter(({ record }) => commandSpec(record.type)?.order !== "overtakes");
      expect(ordinary.map(({ mark }) => mark)).toEqual(ordinary.map(({ mark }) => mark).toSorted((a, b) => a - b));
      // No prompt arrives while pi has one that it has not answered.
      expect(arrived.filter(({ isEarly }) => isEarly)).toEqual([]);
      // Nothing ordinary arrives while a command runs alone.
      expect(ordinary.filter(({ alone }) => alone !== undefined)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  const counted = Map.groupBy(editor.received, (message) => (message.method === undefined ? message.id : undefined));
  for (let mark = first + 1; mark <= id; mark++) expect(counted.get(mark)?.length, `answers to ${mark}`).toBe(1);
});

function markOf(record: PiRecord): number {
  return Number(record[PARAM[record.type] ?? ""] ?? Number.NaN);
}
