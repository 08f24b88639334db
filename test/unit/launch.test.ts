import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_LAUNCH, type Launch, launchWords, type Resume } from "../../src/pi/launch.ts";
import { text } from "./bytes.ts";

const RPC = "pi --mode rpc";
const file = { id: "0199", file: "/s/a b.jsonl" };
const unwritten = { id: "0199" };

test.for<[what: string, launch: Partial<Launch>, resume: Resume | undefined, words: string]>([
  ["nothing is said", {}, undefined, RPC],
  ["the user's words", { args: ["--model", "m", "-c"] }, undefined, `${RPC} --model m -c`],
  ["a new session", { session: "new" }, undefined, RPC],
  ["the last session", { session: "last" }, undefined, `${RPC} --continue`],
  ["a session by its file", { session: { file: "/s/x.jsonl" } }, undefined, `${RPC} --session /s/x.jsonl`],
  ["a session by its id", { session: { id: "0199" } }, undefined, `${RPC} --session 0199`],
  ["a name", { name: "checkout rewrite" }, undefined, `${RPC} --name checkout rewrite`],
  ["trust", { trust: "approve" }, undefined, `${RPC} --approve`],
  ["no trust", { trust: "no-approve" }, undefined, `${RPC} --no-approve`],
  ["a command of several words", { command: ["node", "cli.js"] }, undefined, "node cli.js --mode rpc"],
  ["again, on the same file", { session: "last" }, file, `${RPC} --session /s/a b.jsonl`],
  ["again, on a session that has no file yet", {}, unwritten, `${RPC} --session-id 0199`],
  [
    "again, without what chose the session before",
    {
      args: [
        "-c",
        "-r",
        "--continue",
        "--resume",
        "--session",
        "s",
        "--session-id",
        "i",
        "--fork",
        "f",
        "--model",
        "m",
      ],
    },
    file,
    `${RPC} --model m --session /s/a b.jsonl`,
  ],
  [
    "again, an unfinished flag at the end",
    { args: ["--model", "m", "--fork"] },
    file,
    `${RPC} --model m --session /s/a b.jsonl`,
  ],
  [
    "again, a value that looks like a flag's",
    { args: ["--model", "--session"] },
    undefined,
    `${RPC} --model --session`,
  ],
  ["again, in memory", { args: ["--no-session"] }, unwritten, `${RPC} --no-session`],
  ["again, the name is not given twice", { name: "x" }, file, `${RPC} --session /s/a b.jsonl`],
  [
    "for a shell",
    { command: ["ssh", "host", "pi"], remoteShell: true, args: ["--model", "it's", "a/b:c", ""] },
    undefined,
    "ssh host pi --mode rpc --model 'it'\\''s' a/b:c ''",
  ],
])("%s", ([, launch, resume, words]) => {
  expect(launchWords({ ...DEFAULT_LAUNCH, cwd: "/", ...launch }, resume).join(" ")).toBe(words);
});

test("a shell that splits the words again gets them as they were", () => {
  const word = text.map((value) => value.replaceAll("\u0000", "").toWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 40, maxLength: 120 }), (args) => {
      const launch = { ...DEFAULT_LAUNCH, cwd: "/", command: ["printf", "'%s\\0'"], remoteShell: true, args };
      const line = launchWords(launch).join(" ");
      const output = execFileSync("sh", ["-c", line], { encoding: "utf8" });
      expect(output.split("\0").slice(0, -1)).toEqual(["--mode", "rpc", ...args]);
    }),
    { numRuns: 30 },
  );
});
