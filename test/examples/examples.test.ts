import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { BUNDLE } from "../support/bridge.ts";
import { realPis } from "../support/pis.ts";
import { marked } from "../support/processes.ts";
import { Sandbox } from "../support/sandbox.ts";

/** The examples of the README, as a reader would run them; with a script in place of a question. */
const examples: [file: string, interpreter: string][] = [
  ["prompt.mjs", process.execPath],
  ["prompt.py", "python3"],
  ["ask.sh", "bash"],
];

/** What is asked, and how the example ends. */
const questions: [what: string, question: string, ends: { stdout: string; stderr: string; code: number }][] = [
  ["an answer", "say: Forty-two — 🦋.", { stdout: "Forty-two — 🦋.\n", stderr: "", code: 0 }],
  ["a command that starts no run", "/announce", { stdout: "\n", stderr: "", code: 0 }],
  ["an error of the provider", "fail: 401 bad key", { stdout: "\n", stderr: "401 bad key\n", code: 1 }],
];

const rows = examples.flatMap(([file, interpreter]) =>
  realPis.flatMap((pi) =>
    questions.map(([what, question, ends]) => ({ file, interpreter, pi, name: pi.name, what, question, ends })),
  ),
);

test.for(rows)("$file with $name: $what", async ({ file, interpreter, pi, question, ends }) => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const { command, args } = pi.launch(sandbox, []);
  const server = [process.execPath, BUNDLE, "--stdio", "--pi", JSON.stringify(command), "--", ...args];
  const words = [join(import.meta.dirname, file), question, ...server];
  const child = spawn(interpreter, words, { cwd: sandbox.project, env: { ...sandbox.env, PYTHONUTF8: "1" } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ stdout, stderr, code }).toEqual({
    ...ends,
    stdout: file === "ask.sh" && ends.code !== 0 ? "" : ends.stdout,
  });
  expect(marked(`PI_LS_TEST=${sandbox.root}`)).toEqual([]);
});
