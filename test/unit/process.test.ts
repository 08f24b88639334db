import { expect, test } from "vitest";
import { PiProcess, type ProcessEvents } from "../../src/pi/process.ts";

/** Writes the numbers up to COUNT, a line each, in pieces that are read one by one, and ends. */
const program = (count: number) => `
  const { writeSync } = require("node:fs");
  for (let at = 0; at < ${count}; at++) writeSync(1, at + " ".repeat(1000) + "\\n");
`;

test("what is left in the pipe of a process that has ended waits for what came before it", async () => {
  // The pipe must hold them all.
  const count = 60;
  const seen: number[] = [];
  let hasExited: () => void = () => {};
  const exited = new Promise<void>((resolve) => {
    hasExited = resolve;
  });
  const ended = new Promise<void>((resolve, reject) => {
    const events: ProcessEvents = {
      line: (line) => {
        seen.push(Number(line.toString()));
        // As when the editor is slow: the first line holds the rest back, until the process has been gone for a while.
        return seen.length === 1 ? exited : undefined;
      },
      chunkEnd: () => undefined,
      stderr: (text) => reject(new Error(text)),
      drained: () => {},
      ended: () => resolve(),
    };
    const words = [process.execPath, "-e", program(count)];
    PiProcess.start(words, { cwd: process.cwd(), env: process.env }, events).then((pi) => {
      const isGone = () => {
        try {
          process.kill(Number(pi.pid), 0);
          setImmediate(isGone);
        } catch {
          // What Node does about the exit of a child takes some turns of its loop.
          setImmediate(() => setImmediate(() => setImmediate(hasExited)));
        }
      };
      isGone();
    }, reject);
  });
  await ended;
  expect(seen).toEqual(Array.from({ length: count }, (_, at) => at));
});
