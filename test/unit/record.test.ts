import fc from "fast-check";
import { expect, test } from "vitest";
import { type PiRecord, readRecord } from "../../src/pi/record.ts";
import { object, value } from "./json.ts";

/** What JSON.parse makes of a record, member for member. */
function expected(line: string): unknown {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line);
  } catch {
    return { is: "foreign" };
  }
  if (typeof record !== "object" || record === null || Array.isArray(record)) return { is: "foreign" };
  const { type, id, command, success, method, error, data } = record;
  if (typeof type !== "string") return { is: "foreign" };
  if (type === "extension_ui_request") return typeof method === "string" ? { is: "ui", method } : { is: "foreign" };
  if (type !== "response") return { is: "event", type };
  const head = { id: typeof id === "string" ? id : undefined, command: typeof command === "string" ? command : "" };
  if (success === true) return { is: "response", ...head, data };
  const text = typeof error === "string" && error !== "" ? error : undefined;
  return { is: "failure", ...head, error: text ?? (error === undefined ? "pi gave no reason" : JSON.stringify(error)) };
}

function seen(record: PiRecord): unknown {
  if (record.is === "response") return { ...record, data: record.data && JSON.parse(record.data.toString("utf8")) };
  const { line: _, ...rest } = record as PiRecord & { line?: Buffer };
  return rest;
}

const word = fc.constantFrom("get_state", "bash", "message_update", "response", "extension_ui_request", "x", "a-b", "");
const json = (item: unknown) => JSON.stringify(item);

/** The members that routing looks at, and others, each at most once: pi writes object literals. */
const fields = fc.record(
  {
    type: fc.oneof(
      { weight: 4, arbitrary: fc.constant('"response"') },
      { weight: 2, arbitrary: fc.constant('"extension_ui_request"') },
      { weight: 2, arbitrary: word.map(json) },
      value.map((one) => one.json),
    ),
    id: fc.oneof(
      word.map(json),
      fc.constant('"r1\\"\\u00e9"'),
      value.map((one) => one.json),
    ),
    command: fc.oneof(
      word.map(json),
      value.map((one) => one.json),
    ),
    success: fc.constantFrom("true", "true", "false", "1"),
    data: value.map((one) => one.json),
    error: fc.oneof(
      fc.constantFrom('""', '"no"'),
      value.map((one) => one.json),
    ),
    method: fc.oneof(
      fc.constantFrom('"select"', '"setStatus"'),
      value.map((one) => one.json),
    ),
    durationMs: fc.constantFrom("1", "{}", '"}"'),
    extra: object.map((one) => one.json),
  },
  { requiredKeys: [] },
);

/** pi's own order, or any. */
const ORDERS = ["id", "type", "command", "success", "data", "error", "method", "durationMs", "extra"];
const PIS = fc.constantFrom(
  ORDERS,
  ["type", "command", "success", "data", "id", "method", "extra", "error", "durationMs"],
  ["type", "id", "method", "command", "success", "error", "data", "durationMs", "extra"],
);

test("a record is read as JSON.parse reads it, in pi's order of the members and in any other", () => {
  fc.assert(
    fc.property(
      fields,
      fc.oneof(PIS, fc.shuffledSubarray(ORDERS, { minLength: ORDERS.length })),
      fc.constantFrom("", "", "", " "),
      (record, order, space) => {
        const parts = order.flatMap((key) =>
          Object.hasOwn(record, key) ? [`${space}"${key}":${space}${(record as Record<string, string>)[key]}`] : [],
        );
        const line = `{${parts.join(",")}${space}}`;
        expect(seen(readRecord(Buffer.from(line)))).toEqual(expected(line));
      },
    ),
    { numRuns: 4000 },
  );
});

test("what is no record is foreign, whole", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const line = Buffer.from(bytes);
      expect(readRecord(line)).toEqual({ is: "foreign", line });
    }),
    { numRuns: 1000 },
  );
});

const event = (type: string) => ({ is: "event", type });
test.for<[line: string | Buffer, record: unknown]>([
  ['{"type":"message_update","x":1}', event("message_update")],
  ['{"type":"agent_start"}', event("agent_start")],
  ['{"type":"message_update2"}', event("message_update2")],
  ['{"type":"message_upd\\u0061te"}', event("message_update")],
  ['{"x":1,"type":"agent_start"}', event("agent_start")],
  [' {"type":"agent_start"} ', event("agent_start")],
  ['{"type":"text","x":"\u2028\u2029😀"}', event("text")],
  ['{"type":"text","x":"\\ud800"}', event("text")],
  [Buffer.from('{"type":"text","x":"\xff"}', "latin1"), { is: "foreign" }],
  [
    '{"type":"response","command":"parse","success":false,"error":"Failed"}',
    { is: "failure", id: undefined, command: "parse", error: "Failed" },
  ],
  [
    '{"type":"response","id":"a","command":"c","success":true}',
    { is: "response", id: "a", command: "c", data: undefined },
  ],
  [
    '{"id":"a","type":"response","command":"c","success":true,"data":null}',
    { is: "response", id: "a", command: "c", data: null },
  ],
  [
    '{"id":"a","type":"response","command":"c","success":true,"data":{"x":1},"durationMs":5}',
    { is: "response", id: "a", command: "c", data: { x: 1 } },
  ],
  [
    '{"id":"a","type":"response","command":"c","success":true,"data":[],"usage":{}}',
    { is: "response", id: "a", command: "c", data: [] },
  ],
  [
    '{"id":5,"type":"response","command":"c","success":true}',
    { is: "response", id: undefined, command: "c", data: undefined },
  ],
  ["null", { is: "foreign" }],
  ['{"type":"message_update"', { is: "foreign" }],
  ["Welcome to the host!", { is: "foreign" }],
  ["{}", { is: "foreign" }],
])("%s", ([line, record]) => {
  const read = seen(readRecord(Buffer.from(line as string)));
  expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(record)));
});
