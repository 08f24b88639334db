import fc from "fast-check";
import { text } from "./bytes.ts";

/** A JSON text and the value that it stands for. */
export interface Written {
  json: string;
  value: unknown;
}

const space = fc.constantFrom("", "", "", " ", "\t", "\n ", "\r\n");

/** A string as JSON, written in one of the ways that JSON has for it. */
const string: fc.Arbitrary<Written & { value: string }> = fc.tuple(text, fc.boolean()).map(([value, escaped]) => ({
  json: escaped ? JSON.stringify(value).replaceAll(/[^ -~]/gu, escapes) : JSON.stringify(value),
  value,
}));

function escapes(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}

const scalar: fc.Arbitrary<Written> = fc.oneof(
  string,
  fc.constantFrom("0", "-0", "1e400", "12345678901234567890", "1.50", "-1E-2", "true", "false", "null").map(written),
  fc.integer().map((value) => written(JSON.stringify(value))),
);

function written(json: string): Written {
  return { json, value: JSON.parse(json) };
}

/** Objects and arrays of all that, with white space where JSON allows it, and repeated names. */
export const { value, object } = fc.letrec<{ value: Written; object: Written; array: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 2, arbitrary: tie("object") },
    { weight: 1, arbitrary: tie("array") },
  ),
  object: fc
    .tuple(fc.array(fc.tuple(string, tie("value"), space, space), { maxLength: 5 }), space)
    .map(([members, inner]) =>
      joined(
        "{",
        "}",
        inner,
        members.map(([name, item, before, after]) => `${before}${name.json}${after}:${before}${item.json}${after}`),
      ),
    ),
  array: fc.tuple(fc.array(fc.tuple(tie("value"), space), { maxLength: 4 }), space).map(([items, inner]) =>
    joined(
      "[",
      "]",
      inner,
      items.map(([item, around]) => `${around}${item.json}${around}`),
    ),
  ),
}));

function joined(open: string, close: string, inner: string, parts: string[]): Written {
  return written(`${open}${parts.length === 0 ? inner : parts.join(",")}${close}`);
}
