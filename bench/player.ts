/**
 * Acts as pi as far as the benchmarks need it: answers commands, and on a prompt plays what it names, as JSON:
 * `{"file": …}` the lines of a file, as fast as they are taken; `{"ticks": n}` n deltas, one a millisecond, each with
 * the moment in which it was written, in microseconds of the machine's monotonic clock.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const say = (record: object) => process.stdout.write(`${JSON.stringify(record)}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, type, message } = JSON.parse(line);
  say({ id, type: "response", command: type, success: true, data: type === "get_state" ? { sessionId: "s" } : {} });
  if (type !== "prompt") return;
  const { file, ticks } = JSON.parse(message) as { file?: string; ticks?: number };
  if (file !== undefined) createReadStream(file).pipe(process.stdout, { end: false });
  if (ticks !== undefined) tick(ticks);
});
process.on("SIGTERM", () => process.exit(143));

function tick(left: number): void {
  if (left === 0) return void say({ type: "agent_settled", aborted: false });
  say({
    type: "message_update",
    usage: { input: 1200, output: left, cacheRead: 0, cacheWrite: 0, totalTokens: 1200 + left },
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: `${process.hrtime.bigint() / 1000n}` },
  });
  setTimeout(tick, 1, left - 1);
}
