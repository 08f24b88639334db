import { Writable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "vscode-jsonrpc";
import { RawJson } from "../../src/editor/raw.ts";
import { SplicingWriter } from "../../src/editor/writer.ts";
import { Unframer } from "../support/frames.ts";
import { text } from "./bytes.ts";
import { value } from "./json.ts";

/** Takes what it is given after a while, as a pipe does: what is written must stay as it was. */
class SlowOutput extends Writable {
  readonly chunks: Buffer[] = [];
  private readonly held: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.held.push(() => {
      this.chunks.push(Buffer.from(chunk));
      done();
    });
  }

  /** Takes all that waits. */
  take(): void {
    for (let next = this.held.shift(); next; next = this.held.shift()) next();
  }
}

/** Raw JSON of about the lengths at which the writer does something else. */
const raw = fc
  .tuple(
    value,
    fc.constantFrom(0, 0, 0, 0, 1000, 1030, 65_400, 65_600, 131_000, 140_000),
    fc.integer({ min: 0, max: 64 }),
  )
  .map(([{ json }, pad, more]) => (pad === 0 ? json : JSON.stringify({ pad: "é".repeat((pad + more) / 2), json })));

/** A message as JSON.stringify would write it, and how it is given to the writer. */
const message = fc.oneof(
  {
    weight: 4,
    arbitrary: raw.map((params) => ({ how: "raw" as const, body: notification("pi/message_update", params), params })),
  },
  {
    weight: 1,
    arbitrary: raw.map((params) => ({
      how: "raw" as const,
      body: notification("pi/x", params),
      params,
      method: "pi/x",
    })),
  },
  {
    weight: 2,
    arbitrary: raw.map((result) => ({
      how: "message" as const,
      body: `{"jsonrpc":"2.0","id":7,"result":${result}}`,
      message: { jsonrpc: "2.0", id: 7, result: new RawJson(Buffer.from(result)) },
    })),
  },
  {
    weight: 1,
    arbitrary: raw.map((params) => ({
      how: "message" as const,
      body: `{"jsonrpc":"2.0","id":"é","method":"m","params":${params}}`,
      message: { jsonrpc: "2.0", id: "é", method: "m", params: new RawJson(Buffer.from(params)) },
    })),
  },
  {
    weight: 2,
    arbitrary: text.map((words) => ({
      how: "message" as const,
      body: JSON.stringify({ jsonrpc: "2.0", method: words, params: { words } }),
      message: { jsonrpc: "2.0", method: words, params: { words } },
    })),
  },
  { weight: 1, arbitrary: fc.constant({ how: "flush" as const, body: undefined }) },
  { weight: 1, arbitrary: fc.constant({ how: "take" as const, body: undefined }) },
);

function notification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
}

test("what is spliced is what JSON.stringify would have written, in the order of the calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
      const out = new SlowOutput();
      const writer = new SplicingWriter(out);
      for (const one of messages) {
        if (one.how === "raw")
          writer.notify(("method" in one && one.method) || "pi/message_update", Buffer.from(one.params));
        else if (one.how === "message") void writer.write(one.message as never);
        else if (one.how === "flush") writer.flush();
        else out.take();
      }
      const finished = writer.finished();
      out.take();
      await finished;
      const unframer = new Unframer();
      const bodies = out.chunks.flatMap((chunk) => unframer.push(chunk)).map((body) => body.toString());
      expect(unframer.isBetweenFrames).toBe(true);
      const expected = messages.flatMap(({ body }) => body ?? []);
      expect(bodies).toEqual(expected);
      for (const [at, body] of bodies.entries()) expect(JSON.parse(body)).toEqual(JSON.parse(expected[at] ?? ""));
    }),
    { numRuns: 600 },
  );
});

test("a chunk of many records leaves in one write", async () => {
  const out = new SlowOutput();
  const writer = new SplicingWriter(out);
  for (let at = 0; at < 500; at++) writer.notify("pi/message_update", Buffer.from(`{"at":${at}}`));
  writer.flush();
  out.take();
  expect(out.chunks).toHaveLength(1);
});

test("a stream that has failed is not written to, and nobody waits for it", async () => {
  const out = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")), highWaterMark: 1 });
  const writer = new SplicingWriter(out);
  let closed = 0;
  writer.onClose(() => closed++);
  writer.notify("pi/x", Buffer.from("{}"));
  writer.flush();
  await Promise.all([writer.drained(), new Promise((resolve) => out.once("close", resolve))]);
  // More than any batch holds, of each size and by each way.
  for (const bytes of [10, 1000, 60_000, 70_000])
    for (let at = 0; at < 1000; at++) {
      writer.notify("pi/x", Buffer.from(JSON.stringify("x".repeat(bytes))));
      if (at % 100 === 0) void writer.write({ jsonrpc: "2.0", id: at, result: "x".repeat(bytes) } as Message);
    }
  await writer.finished();
  expect(closed).toBeGreaterThan(0);
});
