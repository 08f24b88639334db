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

test.for(examples.flatMap(([file, interpreter]) => realPis.map((pi) => ({ file, interpreter, pi, name: pi.name }))))(
  "$file with $name",
  async ({ file, interpreter, pi }) => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    const { command, args } = pi.launch(sandbox, []);
    const server = [process.execPath, BUNDLE, "--stdio", "--pi", JSON.stringify(command), "--", ...args];
    const words = [join(import.meta.dirname, file), "say: Forty-two — 🦋.", ...server];
    const child = spawn(interpreter, words, { cwd: sandbox.project, env: { ...sandbox.env, PYTHONUTF8: "1" } });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "Forty-two — 🦋.\n", stderr: "", code: 0 });
    expect(marked(`PI_LS_TEST=${sandbox.root}`)).toEqual([]);
  },
);
