import { readdirSync } from "node:fs";
import { delimiter } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { BridgeProcess } from "../support/bridge.ts";
import { executable, newestPi, realPis } from "../support/pis.ts";
import { marked } from "../support/processes.ts";
import { Sandbox } from "../support/sandbox.ts";

async function demo(
  args: (sandbox: Sandbox) => string[],
  env: (sandbox: Sandbox) => Record<string, string> = () => ({}),
  closes = false,
) {
  const sandbox = new Sandbox();
  // Its own folders must go into one that can be looked at.
  const tmp = sandbox.folder("tmp");
  const bridge = new BridgeProcess(sandbox, ["demo", ...args(sandbox)], { TMPDIR: tmp, ...env(sandbox) });
  let stdout = "";
  bridge.onData((chunk) => {
    stdout += chunk.toString("utf8");
    if (closes) bridge.child.stdout?.destroy();
  });
  const { code, stderr } = await bridge.ended;
  const left = { files: readdirSync(tmp), processes: marked(`PI_LS_TEST=${sandbox.root}`) };
  const settings = readdirSync(sandbox.agentDir);
  sandbox.remove();
  return { code, stderr, stdout, left, settings };
}

/** Long sentences are broken to the width of the terminal. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

const CLEAN = { files: [], processes: [] };

test.for(realPis)("shows everything with $name, and leaves nothing behind", async (pi) => {
  const { code, stderr, stdout, left, settings } = await demo((sandbox) => [
    "--pi",
    JSON.stringify(pi.launch(sandbox, []).command),
  ]);
  expect({ code, stderr, left }).toEqual({ code: 0, stderr: "", left: CLEAN });
  for (const method of [
    "pi/prompt",
    "pi/tool_execution_end",
    "pi/bash_execution_update",
    "pi/steer",
    "pi/ui/select",
    "$/cancelRequest",
  ])
    expect(stdout).toContain(method);
  expect(oneLine(stdout)).toMatch(/ Seen: .* a clean end \(\d+ messages sent, \d+ received, [\d.]+ s\)\. $/);
  expect(stripVTControlCharacters(stdout), "no colours where there is no terminal").toBe(stdout);
  // The user's own: it was there before, and nothing has come to it.
  expect(settings).toEqual(["settings.json"]);
});

test("finds pi on the PATH, and colours when it is asked to", async () => {
  const [pi] = realPis;
  const { code, stdout } = await demo(
    () => [],
    (sandbox) => {
      const bin = executable(sandbox, "pi", pi?.launch(sandbox, []).command ?? [], "1.6.0");
      return { PATH: [bin, sandbox.env.PATH].join(delimiter), FORCE_COLOR: "1" };
    },
  );
  expect(code).toBe(0);
  expect(stripVTControlCharacters(stdout)).not.toBe(stdout);
});

test("without pi it says what is missing, and its exit status is 1", async () => {
  const { code, stdout, left } = await demo(() => ["--pi", "no-such-pi"]);
  expect({ code, left }).toEqual({ code: 1, left: CLEAN });
  expect(stdout).toContain('"no-such-pi" was not found on the PATH');
  expect(oneLine(stdout)).toMatch(/ Missing: an answer streamed, .*a clean end\. $/);
});

test("with a stdout that is closed before the end, nothing is left behind, and the exit status says so", async () => {
  const { code, stderr, left } = await demo(
    (sandbox) => ["--pi", JSON.stringify(newestPi.launch(sandbox, []).command)],
    () => ({}),
    true,
  );
  expect({ code, stderr, left }).toEqual({ code: 1, stderr: "", left: CLEAN });
});
