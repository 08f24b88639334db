import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { BUNDLE, env, folder } from "./clients.ts";
import { type Figure, median, pairs, percentile, ratio } from "./figure.ts";

const FILES = 100_000;
/** Half of them are new to git: it finds those by looking into every folder. */
const A_FOLDER = 100;
const WORDS = ["core", "editor", "bridge", "model", "view", "store", "net", "parser", "session", "test"];

/** What a person types, a character at a time. */
const TYPED = ["@model", "@src/edi", "@netfile7", "@zzz", "@pkg-3/core20/src/", "@e"];

/** `@` in a repository of 100,000 files: the first answer of a bridge, and those while a person types. */
export async function completion(): Promise<Figure[]> {
  const repository = makeRepository();
  const first = ratio(
    await pairs(
      5,
      async () => (await session(repository, ["@m"]))[0] ?? Number.NaN,
      async () => git(repository),
    ),
  );
  const typed = TYPED.flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1)));
  // The first answer waits for the list: the others are those of a person who types.
  const warm = (await session(repository, ["@", ...typed])).slice(1);
  const slowest = percentile(warm, 95);
  return [
    {
      benchmark: "completion",
      work: "first `@` in 100,000 files, from opening the prompt to the answer: bridge / `git ls-files -co` alone",
      value: first.value,
      unit: "×",
      limit: 4,
      from: `${first.one.toFixed(0)} ms / ${first.other.toFixed(0)} ms`,
    },
    {
      benchmark: "completion",
      work: `each further character there, 95th percentile of ${warm.length}: bridge / \`git ls-files -co\` alone`,
      value: slowest / first.other,
      unit: "×",
      limit: 1,
      from: `${slowest.toFixed(0)} ms (median ${median(warm).toFixed(0)} ms) / ${first.other.toFixed(0)} ms`,
    },
    {
      benchmark: "completion",
      work: "the same, in time that a person notices",
      value: slowest,
      unit: "ms",
      limit: 200,
      from: `the slowest of all: ${Math.max(...warm).toFixed(0)} ms`,
    },
  ];
}

function makeRepository(): string {
  const root = join(folder, "repository");
  for (let at = 0; at < FILES / A_FOLDER; at++) {
    const word = WORDS[at % WORDS.length];
    const path = join(root, `pkg-${at % 17}`, `${word}${at}`, "src");
    mkdirSync(path, { recursive: true });
    for (let n = 0; n < A_FOLDER; n++) writeFileSync(join(path, `${WORDS[n % WORDS.length]}-file-${n}.ts`), "");
    if (at === FILES / A_FOLDER / 2)
      for (const words of [
        ["init", "-q"],
        ["add", "-A"],
      ])
        run(root, words);
  }
  return root;
}

function run(cwd: string, words: string[]): void {
  execFileSync("git", words, { cwd, env });
}

/** Milliseconds until git has listed all. */
async function git(cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd, env });
  let names = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === 0) names += 1;
  if (names !== FILES) throw new Error(`git has listed ${names} of ${FILES} files`);
  return performance.now() - start;
}

/** Opens a prompt in a new bridge and types each text into it; milliseconds until each has its answer. */
async function session(cwd: string, texts: readonly string[]): Promise<number[]> {
  const child = spawn(process.execPath, [BUNDLE], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const editor = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  editor.listen();
  await editor.sendRequest("initialize", { processId: process.pid, rootUri: `file://${cwd}`, capabilities: {} });
  const times: number[] = [];
  const uri = "untitled:prompt";
  for (const [at, text] of texts.entries()) {
    const start = performance.now();
    const textDocument = { uri, version: at, languageId: "pi-prompt", text };
    if (at === 0) void editor.sendNotification("textDocument/didOpen", { textDocument });
    else void editor.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    const position = { line: 0, character: text.length };
    const { items } = await editor.sendRequest<{ items: unknown[] }>("textDocument/completion", {
      textDocument: { uri },
      position,
    });
    times.push(performance.now() - start);
    if (items.length === 0 && !text.startsWith("@z")) throw new Error(`nothing is completed for ${text}`);
  }
  const exit = new Promise((resolve) => child.once("exit", resolve));
  await editor.sendRequest("shutdown");
  void editor.sendNotification("exit");
  await exit;
  editor.dispose();
  return times;
}
