import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cacheFolder } from "../../src/pi/sessions/cache-folder.ts";
import { fileLines } from "../../src/pi/sessions/file-lines.ts";
import { findFiles } from "../../src/pi/sessions/files.ts";
import { SessionIndex } from "../../src/pi/sessions/session-index.ts";
import { append, type Line, store, touch } from "./stored.ts";

/** Enough for the index to be worth keeping. */
const BULK = Array.from({ length: 30 }, (): Line => ["toolResult", "x".repeat(50_000)]);
const LONG_MS = 20_000;

function place(): { folder: string; cache: string } {
  const root = mkdtempSync(join(tmpdir(), "pi-ls-index-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { folder: join(root, "sessions"), cache: join(root, "cache") };
}

/** What the index says of FOLDER when all is read. */
async function readAll(index: SessionIndex, folder: string) {
  await index.load([folder]);
  index.cover(await findFiles([folder]));
  await index.hurry(LONG_MS);
  return known(index, folder);
}

/** What it says without reading a session file. */
async function known(index: SessionIndex, folder: string) {
  return (await findFiles([folder])).map((file) => {
    const entry = index.of(file);
    return entry && (entry.progress ? { ...entry.progress.digest, header: undefined } : "no session");
  });
}

function newIndex(cache: string, log: string[] = []): SessionIndex {
  const index = new SessionIndex(cache, (text) => log.push(text));
  onTestFinished(() => index.stop());
  return index;
}

async function found(index: SessionIndex, folder: string, query: string) {
  const matches = await index.matcher(query, [folder]);
  return (await findFiles([folder])).map((file) => matches(file));
}

const TWO = { messageCount: 32, firstMessage: "alpha", lastMessage: "beta" };

function storeTwo(folder: string): string {
  return store(folder, { id: "a", cwd: "/", lines: [["user", "alpha"], ...BULK, ["assistant", "beta"]], modified: 1 });
}

describe("another bridge", () => {
  test("has what the first one has read, without reading it again", async () => {
    const { folder, cache } = place();
    const file = storeTwo(folder);
    expect(await readAll(newIndex(cache), folder)).toMatchObject([TWO]);
    // Who reads the file sees another text; who does not, sees a file that has not changed.
    replaceBytes(file, "alpha", "omega");
    touch(file, 1);
    const second = newIndex(cache);
    await second.load([folder]);
    expect(await known(second, folder)).toMatchObject([TWO]);
    expect(await found(second, folder, "alpha beta")).toEqual([true]);
    expect(await found(second, folder, "omega")).toEqual([false]);
  });

  test("keeps its files for the person alone, and leaves nothing else behind", async () => {
    const { folder, cache } = place();
    storeTwo(folder);
    await readAll(newIndex(cache), folder);
    const files = readdirSync(join(cache, "sessions"));
    expect(files.map((name) => name.replace(/^[0-9a-f]{16}/, "")).sort()).toEqual([".jsonl", ".words"]);
    expect(files.map((name) => statSync(join(cache, "sessions", name)).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(statSync(join(cache, "sessions")).mode & 0o777).toBe(0o700);
  });

  test("may write at the same time", async () => {
    const { folder, cache } = place();
    storeTwo(folder);
    const both = [newIndex(cache), newIndex(cache)];
    await Promise.all(both.map((index) => readAll(index, folder)));
    const third = newIndex(cache);
    await third.load([folder]);
    expect(await known(third, folder)).toMatchObject([TWO]);
    expect(await found(third, folder, "beta")).toEqual([true]);
  });
});

test.each<[what: string, damage: (file: string, text: Buffer) => void]>([
  ["entries that are no JSON", (file) => file.endsWith(".jsonl") && writeFileSync(file, "\u0000\u0001")],
  ["empty files", (file) => writeFileSync(file, "")],
  ["half of it", (file, text) => writeFileSync(file, text.subarray(0, text.length / 2))],
  ["a damaged line", (file, text) => writeFileSync(file, text.toString().replace('"name"', '"name'))],
  ["an entry that is none", (file, text) => file.endsWith(".jsonl") && writeFileSync(file, `${text}null\n`)],
  ["another version", (file, text) => writeFileSync(file, text.toString().replace("sessions 1", "sessions 0"))],
  ["another folder", (file, text) => writeFileSync(file, text.toString().replace('"folder":"', '"folder":"/x'))],
  ["no words", (file) => file.endsWith(".words") && rmSync(file)],
  [
    "words of another moment",
    (file, text) => file.endsWith(".words") && writeFileSync(file, text.toString().replace(/\t\d+\t/, "\t7\t")),
  ],
])("an index with %s is made again", async (_, damage) => {
  const { folder, cache } = place();
  storeTwo(folder);
  await readAll(newIndex(cache), folder);
  for (const name of readdirSync(join(cache, "sessions"))) {
    const file = join(cache, "sessions", name);
    damage(file, readFileSync(file));
  }
  const index = newIndex(cache);
  await readAll(index, folder);
  // Without its words an entry counts as not read, but that shows only when they are looked for.
  await found(index, folder, "alpha");
  expect(await readAll(index, folder)).toMatchObject([TWO]);
  expect(await found(index, folder, "alpha beta")).toEqual([true]);
});

describe("a file that changes", () => {
  test("is read on from where it was, when it has only grown", async () => {
    const { folder, cache } = place();
    const file = storeTwo(folder);
    const index = newIndex(cache);
    await readAll(index, folder);
    // Would be seen by whoever begins anew.
    replaceBytes(file, "alpha", "omega");
    append(file, [["user", "gamma"]], 2);
    expect(await readAll(index, folder)).toMatchObject([
      { messageCount: 33, firstMessage: "alpha", lastMessage: "gamma" },
    ]);
    expect(await found(index, folder, "alpha gamma")).toEqual([true]);
  });

  const other: Line[] = [["user", "omega"]];
  test.each<[how: string, lines: readonly Line[], modified: number, expected: object]>([
    ["shrinks", other, 2, { messageCount: 1, firstMessage: "omega", lastMessage: "omega" }],
    [
      "is replaced by an older, longer one",
      [...other, ...BULK, ...BULK],
      0,
      { messageCount: 61, firstMessage: "omega" },
    ],
    ["is rewritten and longer", [...other, ...BULK, ...BULK], 2, { messageCount: 61, firstMessage: "omega" }],
  ])("is read anew when it %s", async (_, lines, modified, expected) => {
    const { folder, cache } = place();
    storeTwo(folder);
    const index = newIndex(cache);
    await readAll(index, folder);
    store(folder, { id: "a", cwd: "/", lines, modified });
    expect(await readAll(index, folder)).toMatchObject([expected]);
    expect(await found(index, folder, "alpha")).toEqual([false]);
  });

  test("is forgotten when it is gone", async () => {
    const { folder, cache } = place();
    rmSync(storeTwo(folder));
    const index = newIndex(cache);
    storeTwo(folder);
    store(folder, { id: "b", cwd: "/", lines: BULK });
    await readAll(index, folder);
    for (const name of readdirSync(folder)) if (name.endsWith("_a.jsonl")) rmSync(join(folder, name));
    append(join(folder, readdirSync(folder)[0] ?? ""), BULK, 3);
    expect(await readAll(index, folder)).toMatchObject([{ messageCount: 60 }]);
    expect(readFileSync(join(cache, "sessions", readdirSync(join(cache, "sessions"))[0] ?? ""), "utf8")).not.toContain(
      "_a.jsonl",
    );
  });

  test("may become a session, or none", async () => {
    const { folder, cache } = place();
    const file = store(folder, { id: "a", cwd: "/" });
    const text = readFileSync(file);
    const index = newIndex(cache);
    const seen = [];
    for (const [at, bytes] of ["", text, '{"type":"other"}\n', text].entries()) {
      writeFileSync(file, bytes);
      touch(file, at);
      seen.push(...(await readAll(index, folder)));
    }
    expect(seen.map((entry) => typeof entry)).toEqual(["string", "object", "string", "object"]);
  });
});

test("a line that is too long to be held is counted, and shows how it begins", async () => {
  const { folder, cache } = place();
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(12 * 1024 * 1024) };
  const message = { role: "user", content: [{ type: "text", text: 'What is "this"?\n' }, image], timestamp: 1 };
  store(folder, { id: "a", cwd: "/", lines: [{ type: "message", message }, ["assistant", "A picture."]] });
  expect(await readAll(newIndex(cache), folder)).toMatchObject([
    { messageCount: 2, firstMessage: 'What is "this"?', lastMessage: "A picture." },
  ]);
});

test("a folder that cannot be written to is no obstacle, and is told of once", async () => {
  const { folder, cache } = place();
  storeTwo(folder);
  writeFileSync(cache, "a file");
  const log: string[] = [];
  const index = newIndex(cache, log);
  expect(await readAll(index, folder)).toMatchObject([TWO]);
  store(folder, { id: "b", cwd: "/", lines: BULK, modified: 9 });
  expect(await readAll(index, folder)).toMatchObject([{ messageCount: 30 }, TWO]);
  expect(log).toEqual([expect.stringContaining("cannot be kept")]);
});

test("the end does not wait for a file", async () => {
  const { folder, cache } = place();
  storeTwo(folder);
  const index = newIndex(cache);
  await index.load([folder]);
  index.cover(await findFiles([folder]));
  await index.stop();
  expect(await known(index, folder)).not.toMatchObject([TWO]);
  expect(readdirSync(join(cache, ".."))).toEqual(["sessions"]);
});

test.each([1, 2, 3, 7, 64, 1000])("the lines of a file, %i bytes first", async (firstChunk) => {
  const { cache } = place();
  const lines = ["", "a", "é".repeat(30), "", "x".repeat(5000), '{"\u2028":1}\r', "the last"];
  writeFileSync(cache, lines.join("\n"));
  const file = await open(cache);
  onTestFinished(() => file.close());
  const seen: string[] = [];
  let end = 0;
  for await (const some of fileLines(file, 0, statSync(cache).size, firstChunk)) {
    for (const line of some) {
      seen.push(line.bytes.toString());
      end += line.bytes.length + 1;
      expect([line.end, line.isEnded]).toEqual(seen.length < lines.length ? [end, true] : [end - 1, false]);
    }
  }
  expect(seen).toEqual(lines);
});

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ["linux", { HOME: "/home/ada" }, "/home/ada/.cache/pi-language-server"],
  ["linux", { HOME: "/home/ada", XDG_CACHE_HOME: "/cache" }, "/cache/pi-language-server"],
  ["linux", { HOME: "/home/ada", XDG_CACHE_HOME: "relative" }, "/home/ada/.cache/pi-language-server"],
  ["darwin", { HOME: "/Users/ada" }, "/Users/ada/Library/Caches/pi-language-server"],
  ["win32", { HOME: "C:/ada", LOCALAPPDATA: "C:/local" }, "C:/local/pi-language-server/Cache"],
])("the cache on %s with %j is %s", (platform, env, folder) => {
  expect(cacheFolder(env, platform).replaceAll("\\", "/")).toBe(folder);
});

/** In place, without a change of the length. */
function replaceBytes(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}
