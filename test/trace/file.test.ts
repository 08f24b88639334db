import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TraceFile } from "../../src/trace/file.ts";

function tracePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-ls-trace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "trace.jsonl");
}

function lines(path: string): Record<string, unknown>[] {
  const text = readFileSync(path, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("writes every kind of line, with its time, appended to what is there", () => {
  const path = tracePath();
  writeFileSync(path, '{"log":"before","level":"info"}\n');
  const trace = new TraceFile(path, { MY_KEY: "secret-of-the-process" });
  trace.hide({ CLIENT_KEY: "secret-of-the-client" });
  trace.process({ start: ["pi", "--mode", "rpc"] });
  trace.traffic("toPi", '{"id":"r1","type":"prompt","message":"secret-of-the-client"}');
  trace.traffic("fromPi", Buffer.from('{"type":"x","n":12345678901234567890}'));
  for (const foreign of ["no JSON", '"text"', "5", "null", "[1]", '{"cut":'])
    trace.traffic("fromPi", Buffer.from(foreign));
  trace.process({ stderr: "secret-of-the-process\n" });
  trace.log("warning", "two\nlines");
  trace.process({ kill: "SIGKILL" });
  const [before, ...written] = lines(path);
  expect(before).toEqual({ log: "before", level: "info" });
  for (const { time } of written) expect(new Date(String(time)).toISOString()).toBe(time);
  expect(written.map(({ time: _, ...rest }) => rest)).toEqual([
    { start: ["pi", "--mode", "rpc"] },
    { toPi: { id: "r1", type: "prompt", message: "<redacted CLIENT_KEY>" } },
    { fromPi: { type: "x", n: Number("12345678901234567890") } },
    ...["no JSON", '"text"', "5", "null", "[1]", '{"cut":'].map((fromPi) => ({ fromPi })),
    { stderr: "<redacted MY_KEY>\n" },
    { level: "warning", log: "two\nlines" },
    { kill: "SIGKILL" },
  ]);
  // As pi wrote it, also where JavaScript could not hold it.
  expect(readFileSync(path, "utf8")).toContain('"fromPi":{"type":"x","n":12345678901234567890}}');
});

test("the file is closed at its size, one older one is kept, and no line is cut or lost", () => {
  const path = tracePath();
  const trace = new TraceFile(path, {}, { rotateBytes: 20_000 });
  const record = (n: number) => JSON.stringify({ type: "message_update", n, filler: "x".repeat(1000) });
  for (let n = 0; n < 30; n++) trace.traffic("fromPi", record(n));
  const numbers = (file: string) => lines(file).map(({ fromPi }) => (fromPi as { n: number }).n);
  const [older, newer] = [numbers(`${path}.1`), numbers(path)];
  expect([...older, ...newer]).toEqual(Array.from({ length: 30 }, (_, n) => n));
  expect(newer.length).toBeGreaterThan(0);
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThanOrEqual(20_000);
  for (let n = 30; n < 60; n++) trace.traffic("fromPi", record(n));
  expect(numbers(path).at(-1)).toBe(59);
  expect(existsSync(`${path}.2`)).toBe(false);
});

test("a line larger than the size is written whole", () => {
  const path = tracePath();
  const trace = new TraceFile(path, {}, { rotateBytes: 100 });
  const large = { type: "x", filler: "x".repeat(1000) };
  trace.traffic("fromPi", JSON.stringify(large));
  trace.traffic("fromPi", '{"type":"y"}');
  expect(lines(`${path}.1`)).toMatchObject([{ fromPi: large }]);
  expect(lines(path)).toMatchObject([{ fromPi: { type: "y" } }]);
});

test("a file that cannot be written any more ends the trace, and nothing else", () => {
  const path = tracePath();
  mkdirSync(`${path}.1`);
  const reasons: string[] = [];
  const trace = new TraceFile(path, {}, { rotateBytes: 100, ended: (reason) => reasons.push(reason) });
  for (let n = 0; n < 10; n++) trace.log("info", "a text that takes its place");
  expect(reasons).toEqual([expect.stringContaining("trace.jsonl.1")]);
});

test("a file that cannot be written is said at once", () => {
  expect(() => new TraceFile(join(tracePath(), "no", "such", "folder"), {})).toThrow(/ENOENT/);
});
