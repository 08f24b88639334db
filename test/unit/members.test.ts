import fc from "fast-check";
import { expect, test } from "vitest";
import { members } from "../../src/pi/members.ts";
import { object } from "./json.ts";

/** The members as JSON.parse sees them, and the bytes of their values. */
function read(json: string): [name: string, text: string][] {
  const bytes = Buffer.from(json);
  return [...members(bytes)].map(([name, span]) => [name, bytes.toString("utf8", ...span)]);
}

test("names and values are JSON.parse's, whatever the order, the white space and the repetitions", () => {
  fc.assert(
    fc.property(object, ({ json, value }) => {
      const found = read(json);
      expect(new Map(found.map(([name, text]) => [name, JSON.parse(text)]))).toEqual(
        new Map(Object.entries(JSON.parse(json, (_, item) => item) as object)),
      );
      expect(found).toHaveLength(Object.keys(value as object).length);
      // The value and nothing around it.
      for (const [, text] of found) expect(text).toBe(text.trim());
      for (const [, text] of found) expect(json).toContain(text);
    }),
    { numRuns: 3000 },
  );
});

test.for<[json: string, found: [string, string][]]>([
  ["{}", []],
  [" { } ", []],
  ['{"a":12345678901234567890}', [["a", "12345678901234567890"]]],
  [
    '{"a":1.50 ,"b":true}',
    [
      ["a", "1.50"],
      ["b", "true"],
    ],
  ],
  ['{"a":1,"a":2}', [["a", "2"]]],
  [
    '{"a":"}]\\"","b":[{"c":"]"},2]}',
    [
      ["a", '"}]\\""'],
      ["b", '[{"c":"]"},2]'],
    ],
  ],
  ['{"\\u0061":1}', [["a", "1"]]],
  ['{"a":"\\\\"}', [["a", '"\\\\"']]],
])("%s", ([json, found]) => {
  expect(read(json)).toEqual(found);
});

test.for(['{"a', '{"a":', '{"a":"', '{"a" 1}', '{"a":[1', '{"a":1'])("%s is said to be broken", (json) => {
  expect(() => members(Buffer.from(json))).toThrow(SyntaxError);
});
