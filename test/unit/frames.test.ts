import fc from "fast-check";
import { expect, test } from "vitest";
import { type Frame, FrameSplitter, MAX_BODY_BYTES, MAX_JUNK_BYTES } from "../../src/editor/frames.ts";
import { chunked, cuts, text } from "./bytes.ts";

function split(stream: Buffer, at: readonly number[]): { frames: Frame[]; rest: string | undefined } {
  const splitter = new FrameSplitter();
  const frames = chunked(stream, at)
    .flatMap((chunk) => splitter.push(chunk))
    .map((frame) => (frame.is === "body" ? { ...frame, bytes: Buffer.from(frame.bytes) } : frame));
  return { frames, rest: splitter.rest() };
}

const frame = (body: Buffer | string, header = "Content-Length: ", end = "\r\n") => {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${header}${bytes.length}${end}${end}`), bytes]);
};

const body = fc.oneof(
  text.map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  // A body that looks like a header is a body.
  fc.constantFrom("Content-Length: 5\r\n\r\nhello", "\r\n\r\n").map((value) => Buffer.from(value)),
);
const headed = fc
  .tuple(
    body,
    fc.constantFrom(
      "Content-Length: ",
      "content-length:",
      "CONTENT-LENGTH :\t",
      "Content-Type: x; charset=utf-8\r\nContent-Length: ",
    ),
    fc.constantFrom("\r\n", "\n"),
  )
  .map(([bytes, header, end]) => ({ bytes, frame: frame(bytes, header, end) }));

test("every message comes out as it is, however the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(headed, { maxLength: 8 }), cuts, (messages, at) => {
      const stream = Buffer.concat(messages.map((message) => message.frame));
      expect(split(stream, at)).toEqual({
        frames: messages.map(({ bytes }) => ({ is: "body", bytes })),
        rest: undefined,
      });
    }),
    { numRuns: 2000 },
  );
});

const junk = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  text.map((value) => Buffer.from(value)),
  fc
    .constantFrom(
      "Content-Length: -1",
      "Content-Length: x\r\n",
      "Content-Length: 3",
      "Content-Type: x\r\n\r\n",
      "\r\n",
      "X: y",
    )
    .map((value) => Buffer.from(value)),
  fc
    .tuple(fc.constantFrom("x", "Content-Length: ", "1"), fc.integer({ min: 3900, max: 9000 }))
    .map(([word, length]) => Buffer.from(word.repeat(length).slice(0, length))),
  headed.map((message) => message.frame),
  headed.map((message) => message.frame.subarray(0, Math.floor(message.frame.length / 2))),
);

test("whatever the stream is, the way it is cut changes nothing", () => {
  fc.assert(
    fc.property(fc.array(junk, { maxLength: 8 }), cuts, cuts, (parts, one, other) => {
      const stream = Buffer.concat(parts);
      expect(split(stream, one)).toEqual(split(stream, other));
    }),
    { numRuns: 3000 },
  );
});

test("junk that has no header in it costs no message after it", () => {
  const harmless = fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => Buffer.from(bytes))
    .filter((bytes) => !/content-length/i.test(bytes.toString("latin1")));
  fc.assert(
    fc.property(harmless, body, cuts, (bytes, message, at) => {
      const { frames, rest } = split(Buffer.concat([bytes, Buffer.from("\n"), frame(message)]), at);
      expect(frames.at(-1)).toEqual({ is: "body", bytes: message });
      expect(frames.length).toBeLessThanOrEqual(2);
      expect(rest).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

const rows: [what: string, stream: string, frames: unknown[], rest?: unknown][] = [
  ["nothing", "", []],
  ["an empty body", "Content-Length: 0\r\n\r\n", [""]],
  ["a length that is too short", "Content-Length: 1\r\n\r\n{}Content-Length: 2\r\n\r\n{}", ["{", "junk", "{}"]],
  ["a print before the first message", "starting…\nContent-Length: 2\r\n\r\n{}", ["junk", "{}"]],
  ["a blank line too many", "\r\n\r\nContent-Length: 2\r\n\r\n{}", ["{}"]],
  ["headers without a length", "X: y\r\n\r\nContent-Length: 2\r\n\r\n{}", ["junk", "{}"]],
  ["another charset", "Content-Type: x; charset=latin1\r\nContent-Length: 2\r\n\r\n{}", ["junk", "{}"]],
  ["a body that is cut", "Content-Length: 5\r\n\r\n{}", [], "3 bytes of a message body are missing"],
  ["a header that is cut", "Content-Len", [], 'unfinished header "Content-Len"'],
  ["a body beyond all measure", `Content-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n{}`, ["fatal"]],
  ["no header for too long", `${"x\n".repeat(MAX_JUNK_BYTES)}Content-Length: 2\r\n\r\n{}`, ["junk", "fatal"]],
  ["one line for too long", "x".repeat(2 * MAX_JUNK_BYTES), ["junk", "fatal"]],
];

test.for(rows)("%s", ([, stream, expected, rest]) => {
  const result = split(Buffer.from(stream), [0.1, 0.5, 0.9]);
  const told = result.frames.map((one) => (one.is === "body" ? one.bytes.toString() : one.fatal ? "fatal" : "junk"));
  expect(told).toEqual(expected);
  if (!expected.includes("fatal")) expect(result.rest).toBe(rest);
});
