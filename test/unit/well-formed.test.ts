import { expect, test } from "vitest";
import { wellFormed } from "../../src/bridge/well-formed.ts";

test.for<[what: string, json: string, becomes: string]>([
  ["a first half", '{"delta":"a\\ud83d b"}', '{"delta":"a\ufffd b"}'],
  ["a second half", '{"delta":"\\udd8b"}', '{"delta":"\ufffd"}'],
  ["capital letters", '["\\uD83D"]', '["\ufffd"]'],
  ["a pair in escapes", '["\\ud83e\\udd8b","\\ud83d"]', '["🦋","\ufffd"]'],
])("%s", ([, json, becomes]) => {
  expect(wellFormed(Buffer.from(json)).toString()).toBe(becomes);
});

test.for(['{"delta":"🦋 é \\u2028"}', '{"n":12345678901234567890}', "{no json \\ud83d"])(
  "%s stays as it is",
  (json) => {
    const line = Buffer.from(json);
    expect(wellFormed(line)).toBe(line);
  },
);
