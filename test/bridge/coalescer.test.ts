import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Coalescer } from "../../src/bridge/coalescer.ts";

type Record_ = { type: string; [key: string]: unknown };

const usage = fc.record({ input: fc.nat(), output: fc.nat() });
const piece = fc.string({ unit: "binary", maxLength: 4 });
const delta = fc.record({
  type: fc.constant("message_update"),
  usage,
  assistantMessageEvent: fc.record({
    type: fc.constantFrom("text_delta", "thinking_delta", "toolcall_delta"),
    contentIndex: fc.nat(1),
    delta: piece,
  }),
});
const bash = fc.record({ type: fc.constant("bash_execution_update"), id: fc.constantFrom(1, "1", 2), delta: piece });
const tool = fc.record({
  type: fc.constant("tool_execution_update"),
  toolCallId: fc.constantFrom("a", "b"),
  partialResult: fc.record({
    content: fc.array(fc.record({ type: fc.constant("text"), text: piece }), { maxLength: 2 }),
  }),
});
const queue = fc.record({ type: fc.constant("queue_update"), steering: fc.array(piece), followUp: fc.array(piece) });
const other = fc.record({ type: fc.constantFrom("turn_start", "message_end", "agent_start"), n: fc.nat() });
const end = fc.record({ type: fc.constant("tool_execution_end"), toolCallId: fc.constantFrom("a", "b"), n: fc.nat() });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(delta, bash).map((record) => ({ record })) },
  { weight: 3, arbitrary: fc.oneof(tool, end, queue, other).map((record) => ({ record })) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.integer({ min: 1, max: 60 }).map((wait) => ({ wait })),
      fc.boolean().map((hold) => ({ hold })),
    ),
  },
);

/** The conversation, as a client folds it: texts appended, cumulative records replaced, everything else in its place. */
function fold(records: Record_[]) {
  const texts: Record<string, string> = {};
  const latest: Record<string, unknown> = {};
  const marks: unknown[] = [];
  for (const record of records) {
    const { type, contentIndex, delta: text } = Object(record.assistantMessageEvent);
    if (record.type === "message_update")
      texts[`${type} ${contentIndex}`] = (texts[`${type} ${contentIndex}`] ?? "") + text;
    else if (record.type === "bash_execution_update")
      texts[JSON.stringify(record.id)] = (texts[JSON.stringify(record.id)] ?? "") + record.delta;
    else if (record.type === "tool_execution_update") latest[String(record.toolCallId)] = record;
    else if (record.type === "queue_update") latest.queue = record;
    else if (record.type === "tool_execution_end") {
      // It tells all that the updates told.
      latest[String(record.toolCallId)] = record;
      marks.push([record, { ...texts }, { ...latest }]);
    }
    // What a client has seen when the record comes: nothing may have moved across it.
    else marks.push([record, { ...texts }, { ...latest }]);
  }
  return { texts, latest, marks };
}

test("folding the coalesced stream gives what folding the raw one gives", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (steps, ms) => {
        const raw: Record_[] = [];
        const out: Record_[] = [];
        const coalescer = new Coalescer(
          (_type, line) => out.push(JSON.parse(line.toString("utf8"))),
          () => {},
        );
        for (const one of steps) {
          if ("wait" in one) vi.advanceTimersByTime(one.wait);
          else if ("hold" in one) coalescer.hold(one.hold);
          else {
            raw.push(JSON.parse(JSON.stringify(one.record)));
            coalescer.add(one.record.type, Buffer.from(JSON.stringify(one.record)), ms);
          }
        }
        coalescer.flush();
        expect(out.length).toBeLessThanOrEqual(raw.length);
        expect(coalescer.bytes).toBe(0);
        expect(fold(out)).toEqual(fold(raw));
      }),
      { numRuns: 3000 },
    );
  } finally {
    vi.useRealTimers();
  }
});

function collect() {
  const out: Record_[] = [];
  const coalescer = new Coalescer(
    (_type, line) => out.push(JSON.parse(line.toString("utf8"))),
    () => {},
  );
  return {
    out,
    add: (record: Record_) => coalescer.add(record.type, Buffer.from(JSON.stringify(record)), 33),
    coalescer,
  };
}

const text = (value: string, output = 1) => ({
  type: "message_update",
  usage: { output },
  assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: value },
});

test("the first delta of a burst is not delayed, the rest is one record, a pause lets it go", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { out, add } = collect();
    add(text("a"));
    expect(out).toEqual([text("a")]);
    add(text("b"));
    add(text("c", 7));
    expect(out).toHaveLength(1);
    vi.advanceTimersByTime(33);
    expect(out).toEqual([text("a"), text("bc", 7)]);
    vi.advanceTimersByTime(100);
    add(text("d"));
    expect(out).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

test("growing cumulative updates cost less than twice the last one, and the last one comes", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { out, add } = collect();
    const update = (size: number) => ({
      type: "tool_execution_update",
      toolCallId: "a",
      partialResult: { content: [{ type: "text", text: "x".repeat(size) }] },
    });
    const last = 1_000_000;
    for (let size = 10_000; size <= last; size += 10_000) {
      add(update(size));
      vi.advanceTimersByTime(40);
    }
    vi.advanceTimersByTime(2000);
    const sizes = out.map((record) => JSON.stringify(record).length);
    expect(out.at(-1)).toEqual(update(last));
    expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * last);
  } finally {
    vi.useRealTimers();
  }
});

test.for<[what: string, record: (text: string) => Record_]>([
  ["queue_update", (text) => ({ type: "queue_update", steering: [text], followUp: [] })],
  ["ui/setWidget", (text) => ({ type: "ui/setWidget", widgetKey: "w", widgetLines: [text] })],
  ["ui/setStatus", (text) => ({ type: "ui/setStatus", statusKey: "s", statusText: text })],
  ["ui/setTitle", (text) => ({ type: "ui/setTitle", title: text })],
])("the last state of a large %s comes, also when another record follows it", ([, record]) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { out, add } = collect();
    const large = (n: number) => record(`${n} ${"x".repeat(100_000)}`);
    for (const n of [1, 2, 3]) add(large(n));
    add({ type: "message_start", n: 1 });
    expect(out.at(-2)).toEqual(large(3));
    for (const n of [4, 5, 6]) {
      add(large(n));
      vi.advanceTimersByTime(40);
    }
    expect(out.at(-1)).toEqual(large(6));
  } finally {
    vi.useRealTimers();
  }
});

test("half a character waits for the other half", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { out, add } = collect();
    add(text("\ud83e"));
    expect(out).toEqual([]);
    add(text("\udd8b"));
    expect(out).toEqual([text("🦋")]);
  } finally {
    vi.useRealTimers();
  }
});
