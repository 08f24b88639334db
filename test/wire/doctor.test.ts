import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BridgeProcess } from "../support/bridge.ts";
import { executable, newestPi, realPis } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";

async function doctor(sandbox: Sandbox, args: readonly string[], env: Record<string, string> = {}) {
  onTestFinished(() => sandbox.remove());
  const bridge = new BridgeProcess(sandbox, ["doctor", ...args], env);
  let stdout = "";
  bridge.onData((chunk) => {
    stdout += chunk.toString("utf8");
  });
  const { code, stderr } = await bridge.ended;
  return { code, stderr, stdout };
}

/** The flags for real pi with the scripted model. */
function healthy(sandbox: Sandbox): string[] {
  const { command, args } = newestPi.launch(sandbox, []);
  return ["--pi", JSON.stringify(command), "--", ...args];
}

test("with all that pi needs, each line is ok, and so is the exit status", async () => {
  const sandbox = new Sandbox();
  const { code, stdout, stderr } = await doctor(sandbox, healthy(sandbox));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.slice(0, 16).trim())).toEqual([
    "ok    bridge",
    "ok    node",
    "ok    pi",
    "ok    folder",
    "ok    trust",
    "ok    sessions",
    "ok    round trip",
    "ok    models",
    "Everything that",
  ]);
  expect(lines[7]).toMatch(/2 from scripted; in use: scripted\/script$/);
});

test.for(realPis)("the version of $name is told, and how it was found", async (pi) => {
  const sandbox = new Sandbox();
  const [node = "", cli = ""] = pi.launch(sandbox, []).command;
  const folder = executable(sandbox, "pi", [node, cli], pi.name.replace("pi ", ""));
  const env = { PATH: `${folder}:${sandbox.env.PATH}` };
  const { stdout } = await doctor(sandbox, ["--json"], env);
  const { checks } = JSON.parse(stdout);
  expect(checks[2]).toMatchObject({ name: "pi", status: "ok", found: expect.stringContaining('found as "pi" on the') });
  // Behind a wrapper only the wrapper can tell, and it is asked.
  expect(checks[2].found).toContain(pi.name.replace("pi ", "version "));
});

interface Row {
  name: string;
  /** Flags and environment; what is not named is as pi needs it. */
  given(sandbox: Sandbox): { flags?: string[]; env?: Record<string, string> };
  check: { name: string; status: string; found: unknown; hint: unknown };
  code: number;
}

const containing = (text: string) => expect.stringContaining(text);

const rows: Row[] = [
  {
    name: "no pi on the PATH",
    given: () => ({ flags: ["--pi", "no-such-pi"] }),
    check: { name: "pi", status: "fail", found: containing("not found on the PATH"), hint: containing("npm install") },
    code: 1,
  },
  {
    name: "an old Node first on the PATH",
    given: (sandbox) => {
      const folder = sandbox.folder("old");
      sandbox.file("old/node", "#!/bin/sh\necho v18.20.8\n", 0o755);
      return { env: { PATH: `${folder}:${sandbox.env.PATH}` } };
    },
    check: { name: "node", status: "fail", found: "Node 18.20.8 is first on the PATH", hint: containing("22.19") },
    code: 1,
  },
  {
    name: "no Node on the PATH",
    given: (sandbox) => ({ env: { PATH: sandbox.folder("empty") } }),
    check: { name: "node", status: "warn", found: "there is no node on the PATH", hint: containing("Extend the PATH") },
    code: 0,
  },
  {
    name: "a pi that is too old",
    given: (sandbox) => ({ flags: ["--pi", join(executable(sandbox, "pi", ["false"], "0.50.0"), "pi")] }),
    check: { name: "pi", status: "warn", found: containing("version 0.50.0"), hint: containing("Update pi") },
    code: 1,
  },
  {
    name: "a folder that is gone",
    given: (sandbox) => ({ flags: ["--cwd", join(sandbox.root, "gone"), ...healthy(sandbox)] }),
    check: { name: "folder", status: "fail", found: containing("gone does not exist"), hint: expect.any(String) },
    code: 1,
  },
  {
    name: "a session file that is gone",
    given: (sandbox) => ({ flags: [...healthy(sandbox), "--session", "./gone.jsonl"] }),
    check: {
      name: "session",
      status: "fail",
      found: containing("gone.jsonl does not exist"),
      hint: containing("empty"),
    },
    code: 1,
  },
  {
    name: "a project that is not trusted",
    given: (sandbox) => {
      mkdirSync(join(sandbox.project, ".pi/skills"), { recursive: true });
      return {};
    },
    check: { name: "trust", status: "warn", found: containing("is not trusted"), hint: containing("`trust`") },
    code: 0,
  },
  {
    name: "no folder for the sessions",
    given: (sandbox) => {
      rmSync(sandbox.sessions, { recursive: true });
      sandbox.file("sessions", "");
      return {};
    },
    check: { name: "sessions", status: "fail", found: containing("no folder"), hint: containing("permissions") },
    code: 1,
  },
  {
    name: "a session in memory",
    given: (sandbox) => ({ flags: [...healthy(sandbox), "--no-session"] }),
    check: { name: "sessions", status: "warn", found: containing("memory only"), hint: containing("crash") },
    code: 0,
  },
  {
    name: "a pi that ends at its start",
    given: (sandbox) => ({ flags: [...healthy(sandbox), "--no-such-flag"] }),
    check: { name: "round trip", status: "fail", found: containing("pi ended at its start"), hint: expect.any(String) },
    code: 1,
  },
  {
    name: "no model",
    given: (sandbox) => ({ flags: ["--pi", JSON.stringify(newestPi.launch(sandbox, []).command)] }),
    check: { name: "models", status: "fail", found: "none is available", hint: containing("/login") },
    code: 1,
  },
];

test.for(rows)("$name", async ({ given, check, code }) => {
  const sandbox = new Sandbox();
  const { flags, env } = given(sandbox);
  const result = await doctor(sandbox, ["--json", ...(flags ?? healthy(sandbox))], env);
  const { ok, checks } = JSON.parse(result.stdout) as { ok: boolean; checks: Row["check"][] };
  expect(checks.filter(({ status }) => status !== "ok")).toContainEqual(check);
  expect({ ok, code: result.code, stderr: result.stderr }).toEqual({ ok: code === 0, code, stderr: "" });
});
