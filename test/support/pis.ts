import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Sandbox } from "./sandbox.ts";
import type { Step } from "./scenario.ts";

const root = resolve(import.meta.dirname, "../..");

/** A pi to test against: the words that start it in a sandbox. */
export interface Pi {
  name: string;
  isFake: boolean;
  /** Commands and fields came with versions: `pi.has("1.6.0")`. */
  has(version: "0.84.0" | "1.6.0"): boolean;
  /** `scenario` is for the fake one; a real pi is told by its prompts what to do. */
  launch(sandbox: Sandbox, scenario: readonly Step[]): { command: string[]; args: string[] };
}

export const SCRIPTED_MODEL = join(root, "src/demo/scripted-model.ts");

export const fakePi: Pi = {
  name: "fake pi",
  isFake: true,
  has: () => true,
  launch: (sandbox, scenario) => {
    const file = sandbox.file("scenario.jsonl", scenario.map((step) => `${JSON.stringify(step)}\n`).join(""));
    return { command: [process.execPath, join(import.meta.dirname, "fake-pi.ts"), file], args: [] };
  },
};

function realPi(folder: string): Pi {
  const cli = join(root, "node_modules", folder, "dist/cli.js");
  const { version } = JSON.parse(readFileSync(join(dirname(cli), "../package.json"), "utf8")) as { version: string };
  return {
    name: `pi ${version}`,
    isFake: false,
    has: (since) => Number.parseFloat(version) >= Number.parseFloat(since),
    launch: ({ sessions }) => ({
      command: [process.execPath, cli],
      args: ["-e", SCRIPTED_MODEL, "--provider", "scripted", "--model", "script", "--session-dir", sessions],
    }),
  };
}

export const realPis: Pi[] = [realPi("@earendil-works/pi-coding-agent"), realPi("pi-0.84")];
export const newestPi = realPis[0] as Pi;
export const pis: Pi[] = [fakePi, ...realPis];

/** Puts an executable that runs these words into a folder of its own, as pi is installed. Returns the folder. */
export function executable(sandbox: Sandbox, name: string, words: readonly string[], version = ""): string {
  const folder = join(sandbox.root, "bin");
  mkdirSync(folder, { recursive: true });
  const script = [
    "#!/bin/sh",
    `if [ "$1" = --version ]; then echo "${version}"; exit; fi`,
    `exec ${words.map((word) => `'${word}'`).join(" ")} "$@"`,
  ];
  writeFileSync(join(folder, name), `${script.join("\n")}\n`, { mode: 0o755 });
  return folder;
}
