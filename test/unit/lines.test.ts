import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "../../src/pi/lines.ts";
import { chunked, cuts, text } from "./bytes.ts";

/** What a line may hold: everything but LF, invalid UTF-8 included. */
const content = fc.oneof(
  text.map((value) => Buffer.from(value.replaceAll("\n", ""))),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10))),
);
const line = fc.record({ content, cr: fc.boolean() });

function split(stream: Buffer, at: readonly number[]): { lines: Buffer[]; rest: Buffer } {
  const splitter = new LineSplitter();
  const lines = chunked(stream, at).flatMap((chunk) => splitter.push(chunk));
  return { lines: lines.map((one) => Buffer.from(one)), rest: Buffer.from(splitter.rest()) };
}

test("lines end at LF or CRLF and nowhere else, however the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), content, cuts, (lines, rest, at) => {
      const stream = Buffer.concat([
        ...lines.flatMap((one) => [one.content, Buffer.from(one.cr ? "\r\n" : "\n")]),
        rest,
      ]);
      const withoutCr = (bytes: Buffer) => (bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes);
      expect(split(stream, at)).toEqual({
        lines: lines.map((one) => Buffer.from(one.cr ? one.content : withoutCr(one.content))),
        rest: Buffer.from(withoutCr(rest)),
      });
    }),
    { numRuns: 2000 },
  );
});

test("a splitter is empty after its rest, and goes on", () => {
  const splitter = new LineSplitter();
  expect(splitter.push(Buffer.from("half"))).toEqual([]);
  expect(splitter.rest().toString()).toBe("half");
  expect(splitter.push(Buffer.from("whole\n")).map(String)).toEqual(["whole"]);
  expect(splitter.rest().toString()).toBe("");
});

test("a line of many chunks costs as much as its length", () => {
  // 64 MB in chunks of 4 KB: quadratic copying would be 500 GB.
  const chunk = Buffer.alloc(4096, "x");
  const splitter = new LineSplitter();
  for (let at = 0; at < 16 * 1024; at++) expect(splitter.push(chunk)).toHaveLength(0);
  expect(splitter.push(Buffer.from("\n"))[0]).toHaveLength(64 * 1024 * 1024);
});
