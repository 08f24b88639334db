import { beforeEach, expect, test, vi } from "vitest";
import { Outbox, type Outgoing } from "../../src/pi/outbox.ts";
import { commandSpec } from "../../src/protocol/commands.ts";

/**
 * A tiny language. `prompt` pushes the command of that name (`prompt 2`: a second one); `full`: pi's stdin takes what is
 * written next and no more; `drained`, `open`, `close`; `answer X`, `remove X`; `urgent X`.
 */
function run(steps: readonly string[]): string {
  const out: string[] = [];
  let isFull = false;
  const outbox = new Outbox((line) => {
    out.push(line);
    return !isFull;
  });
  const entries = new Map<string, Outgoing>();
  for (const step of steps) {
    const [word = "", ...rest] = step.split(" ");
    const name = rest.join(" ");
    const entry = entries.get(name) as Outgoing;
    if (step === "open" || step === "close") outbox[step]();
    else if (step === "full") isFull = true;
    else if (step === "drained") {
      isFull = false;
      outbox.drained();
    } else if (word === "pass") vi.advanceTimersByTime(Number(rest[0]));
    else if (step === "takeAll") out.push(`took ${outbox.takeAll().map(({ line }) => line)}`);
    else if (word === "answer") outbox.answered(entry);
    else if (word === "remove") out.push(`${outbox.remove(entry) ? "removed" : "too late for"} ${name}`);
    else if (word === "urgent") outbox.urgent(name);
    else {
      const { order, drops } = commandSpec(word) ?? {};
      const turnMs = order === "in_turn" ? 1000 : undefined;
      const pushed: Outgoing = {
        ...{ command: word, line: step, order, drops, turnMs },
        written: () => {},
        dropped: (by) => out.push(`${step} dropped by ${by}`),
      };
      entries.set(step, pushed);
      outbox.push(pushed);
    }
  }
  const waiting = outbox.list().map(({ line }) => line);
  // The books hold.
  expect(outbox.bytes).toBe(waiting.join("").length);
  return [...out, ...(waiting.length > 0 ? [`waiting: ${waiting.join(", ")}`] : [])].join("; ");
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test.for<[steps: string[], out: string]>([
  [["prompt", "get_state"], "waiting: prompt, get_state"],
  [["open", "prompt", "get_state"], "prompt; get_state"],
  [["prompt", "get_state", "open"], "prompt; get_state"],
  [["open", "prompt", "close", "get_state"], "prompt; waiting: get_state"],
  // abort overtakes what waits, and drops what it makes pointless.
  [["get_state", "abort", "open"], "abort; get_state"],
  [
    ["prompt", "steer", "follow_up", "compact", "get_state", "bash", "abort", "open"],
    "prompt dropped by abort; steer dropped by abort; follow_up dropped by abort; compact dropped by abort; abort; get_state; bash",
  ],
  [
    ["bash", "bash 2", "prompt", "abort_bash", "open"],
    "bash dropped by abort_bash; bash 2 dropped by abort_bash; abort_bash; prompt",
  ],
  [["abort", "abort_bash", "abort 2", "open"], "abort; abort_bash; abort 2"],
  // What comes after it is not dropped.
  [["abort", "prompt", "open"], "abort; prompt"],
  // A command that runs alone is not waited for, and is waited for.
  [["open", "prompt", "new_session", "get_state", "prompt 2"], "prompt; new_session; waiting: get_state, prompt 2"],
  [["open", "new_session", "get_state", "answer new_session"], "new_session; get_state"],
  [["open", "new_session", "fork", "get_state", "answer new_session"], "new_session; fork; waiting: get_state"],
  [["open", "new_session", "prompt", "abort"], "new_session; prompt dropped by abort; abort"],
  [["open", "prompt", "new_session", "get_state", "answer prompt"], "prompt; new_session; waiting: get_state"],
  [["open", "new_session", "get_state", "close", "open"], "new_session; get_state"],
  // A prompt waits for the answer to the one before, for a while, and what comes after it waits with it.
  [["open", "prompt", "get_state", "prompt 2", "bash"], "prompt; get_state; waiting: prompt 2, bash"],
  [["open", "prompt", "prompt 2", "prompt 3", "answer prompt"], "prompt; prompt 2; waiting: prompt 3"],
  [["open", "prompt", "prompt 2", "answer prompt", "answer prompt 2", "prompt 3"], "prompt; prompt 2; prompt 3"],
  [["open", "prompt", "prompt 2", "bash", "pass 999"], "prompt; waiting: prompt 2, bash"],
  [["open", "prompt", "prompt 2", "bash", "pass 1000"], "prompt; prompt 2; bash"],
  [
    ["open", "prompt", "pass 900", "answer prompt", "prompt 2", "prompt 3", "pass 900"],
    "prompt; prompt 2; waiting: prompt 3",
  ],
  // Where no answer came, the next one is not waited for either, until there is one.
  [["open", "prompt", "pass 1000", "prompt 2", "prompt 3"], "prompt; prompt 2; prompt 3"],
  [
    ["open", "prompt", "pass 1000", "prompt 2", "answer prompt 2", "prompt 3", "prompt 4"],
    "prompt; prompt 2; prompt 3; waiting: prompt 4",
  ],
  [["open", "prompt", "close", "open", "prompt 2", "pass 999", "prompt 3"], "prompt; prompt 2; waiting: prompt 3"],
  [["open", "prompt", "prompt 2", "abort"], "prompt; prompt 2 dropped by abort; abort"],
  [["open", "prompt", "prompt 2", "bash", "remove prompt 2"], "prompt; bash; removed prompt 2"],
  [["open", "prompt", "prompt 2", "bash", "abort"], "prompt; prompt 2 dropped by abort; abort; bash"],
  [["open", "prompt", "prompt 2", "close", "open"], "prompt; prompt 2"],
  // pi's stdin is full.
  [["open", "full", "prompt", "get_state", "abort_bash"], "prompt; abort_bash; waiting: get_state"],
  [["open", "full", "prompt", "get_state", "bash", "drained"], "prompt; get_state; bash"],
  [["open", "full", "prompt", "get_state", "urgent answer"], "prompt; answer; waiting: get_state"],
  [["full", "urgent answer", "get_state", "open"], "answer; get_state"],
  // Taking back.
  [["prompt", "get_state", "remove prompt", "open"], "removed prompt; get_state"],
  [["open", "prompt", "remove prompt"], "prompt; too late for prompt"],
  [["open", "new_session", "prompt", "remove prompt", "answer new_session"], "new_session; removed prompt"],
  [["prompt", "get_state", "takeAll", "open"], "took prompt,get_state"],
  [["urgent answer"], "answer"],
])("%j", ([steps, out]) => {
  expect(run(steps)).toBe(out);
});
