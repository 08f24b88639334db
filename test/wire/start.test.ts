import { join } from "node:path";
import { expect, test } from "vitest";
import { executable, fakePi } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";

/** A pi that cannot be started, and what the error says. `command` and `path` may need the sandbox. */
interface Row {
  name: string;
  scenario?: Step[];
  options?: (editor: Talk) => Record<string, unknown>;
  message: string;
  data: Record<string, unknown>;
}

const rows: Row[] = [
  {
    name: "not found on the PATH",
    options: () => ({ command: ["no-such-pi"] }),
    message: 'pi cannot be started: "no-such-pi" was not found on the PATH.',
    data: { reason: "not_found", path: expect.stringContaining("/"), hint: expect.stringContaining("npm install -g") },
  },
  {
    name: "not found where it was said to be",
    options: () => ({ command: ["./no/such/pi"] }),
    message: 'pi cannot be started: "./no/such/pi" was not found.',
    data: { reason: "not_found" },
  },
  {
    name: "a folder",
    options: ({ sandbox }) => ({ command: [sandbox.home] }),
    message: "is a folder.",
    data: { reason: "not_executable" },
  },
  {
    name: "not executable",
    options: ({ sandbox }) => ({ command: [sandbox.file("pi", "#!/bin/sh\n")] }),
    message: "pi is not executable.",
    data: { reason: "not_executable", hint: expect.stringContaining("chmod +x") },
  },
  {
    name: "a script without an interpreter",
    options: ({ sandbox }) => ({ command: [sandbox.file("pi", "#!/no/such/interpreter\n", 0o755)] }),
    message: "pi cannot be started: ",
    data: { reason: "not_found" },
  },
  {
    name: "a working directory that does not exist",
    options: ({ sandbox }) => ({ cwd: join(sandbox.root, "nowhere") }),
    message: "nowhere does not exist.",
    data: { reason: "cwd_missing" },
  },
  {
    name: "an error at its start",
    scenario: [{ stderr: "first\nError: no such model\n" }, { exit: 1 }],
    message: "pi ended at its start (exit code 1): Error: no such model",
    data: { reason: "exited", exitCode: 1, stderr: expect.stringContaining("first\nError: no such model") },
  },
  {
    name: "an exception that nothing has caught",
    scenario: [
      {
        stderr:
          "node:fs:1349\n  const result = binding.mkdir(\n                         ^\n\n" +
          "Error: EACCES: permission denied, mkdir '/home/ada/.pi'\n    at mkdirSync (node:fs:1349:26) {\n" +
          "  errno: -13,\n  code: 'EACCES'\n}\n\nNode.js v24.21.0\n",
      },
      { exit: 1 },
    ],
    message: "pi ended at its start (exit code 1): Error: EACCES: permission denied, mkdir '/home/ada/.pi'",
    data: { reason: "exited", exitCode: 1, stderr: expect.stringContaining("Node.js v24") },
  },
  {
    name: "an error that a wrapper writes to stdout",
    scenario: [{ raw: "container is not running\n" }, { exit: 125 }],
    message: "pi ended at its start (exit code 125): container is not running",
    data: { reason: "exited", exitCode: 125, stderr: expect.stringContaining("container is not running") },
  },
  {
    name: "a signal at its start",
    scenario: [{ kill: "SIGKILL" }],
    message: "pi ended at its start (signal SIGKILL).",
    data: { reason: "exited", signal: "SIGKILL" },
  },
  {
    name: "exit 0 before it has answered",
    scenario: [{ exit: 0 }],
    message: "pi ended before it was ready, without an error.",
    data: { reason: "exited_before_ready", exitCode: 0, hint: expect.stringContaining("session_start") },
  },
  {
    name: "half an answer",
    scenario: [{ state: null }, { raw: '{"id":"ready","type":"response","command":"get_st' }, { exit: 0 }],
    message: "pi ended before it was ready, without an error.",
    data: { reason: "exited_before_ready", exitCode: 0 },
  },
  {
    name: "an old Node",
    scenario: [{ stderr: "SyntaxError: The requested module 'node:module'\n\nNode.js v20.20.2\n" }, { exit: 1 }],
    message: "pi cannot run under Node.js v20.20.2; it needs Node 22.19 or newer.",
    data: { reason: "node_too_old", exitCode: 1 },
  },
  {
    name: "no answer in time",
    scenario: [{ state: null }],
    options: () => ({ startTimeoutMs: 400 }),
    message: "pi did not answer within 400 ms of its start.",
    data: { reason: "timeout" },
  },
];

test.for(rows)("$name: in every answer, in the state, and told to the person once", async (row) => {
  const { scenario = [], options, message, data } = row;
  const editor = await talkTo(fakePi, scenario, { initializationOptions: (talk) => options?.(talk) ?? {} });
  const error = {
    code: -32803,
    message: expect.stringContaining(message),
    data: { kind: "unavailable", hint: expect.any(String), command: expect.any(Array), ...data },
  };
  const answers = await Promise.all(["get_tree", "get_state", "levitate"].map((name) => editor.request(`pi/${name}`)));
  for (const answer of answers) expect(answer).toMatchObject({ error });
  const failed = await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "failed");
  expect(failed.params.error).toMatchObject({
    kind: "unavailable",
    reason: data.reason,
    message: expect.stringContaining(message),
  });
  // Where nothing is run there is nothing that could be run twice: the next request fails as the first one did.
  if (!row.scenario) expect(await editor.request("pi/get_tree")).toMatchObject({ error });
  expect(editor.all("window/showMessage").map(({ params }) => params)).toEqual([
    { type: 1, message: expect.stringContaining(message) },
  ]);
  expect(editor.leftBehind().filter(({ pid }) => pid !== editor.bridge.pid)).toEqual([]);
});

test("a client of LSP alone gets the failure with its first request, and as a message", async () => {
  const editor = await talkTo(fakePi, [], { optIn: null, initializationOptions: { command: ["no-such-pi"] } });
  expect(await editor.request("workspace/executeCommand", { command: "pi.get_state" })).toMatchObject({
    error: { code: -32803, data: { kind: "unavailable", reason: "not_found" } },
  });
  const { params } = await editor.until("window/showMessage");
  expect(params).toEqual({ type: 1, message: expect.stringContaining("npm install -g") });
});

test("the next request tries again", async () => {
  const editor = await talkTo(fakePi, [
    { exit: 1 },
    { restart: true },
    { expect: { type: "get_tree" }, reply: { at: "last" } },
  ]);
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "failed");
  expect(await editor.request("pi/get_tree")).toEqual({ result: { at: "last" } });
  expect(await editor.call("bridge/state")).toMatchObject({ phase: "ready" });
});

test("the executable is looked up in pi's own environment, and run in its working directory", async () => {
  const scenario: Step[] = [{ expect: { type: "get_tree" }, reply: {} }];
  const editor = await talkTo(fakePi, scenario, {
    initializationOptions: ({ sandbox }) => {
      const { command } = fakePi.launch(sandbox, scenario);
      const bin = executable(sandbox, "my-pi", command);
      return { command: ["my-pi"], args: ["--model", "a b"], env: { PATH: `${bin}:${sandbox.env.PATH}` } };
    },
  });
  expect(await editor.request("pi/get_tree")).toEqual({ result: {} });
  expect(editor.fakeLog).toEqual([
    { start: ["--mode", "rpc", "--model", "a b"], pid: expect.any(Number), cwd: editor.sandbox.project },
  ]);
});

test("what a newer pi may know is passed on to it, and noted", async () => {
  const scenario: Step[] = [
    { exactly: { type: "set_thinking_level", level: "cosmic" }, reply: null },
    { exactly: { type: "bash", command: "ls", sandbox: true }, reply: {} },
  ];
  const editor = await talkTo(fakePi, scenario, {
    initializationOptions: ({ sandbox }) => {
      const { command } = fakePi.launch(sandbox, scenario);
      return { command: [join(executable(sandbox, "pi", command, "99.0.0"), "pi")] };
    },
  });
  await editor.until(({ method, params }) => method === "bridge/state" && /99\.0\.0/.test(JSON.stringify(params.pi)));
  expect(await editor.request("pi/set_thinking_level", { level: "cosmic" })).toEqual({ result: null });
  expect(await editor.request("pi/bash", { command: "ls", sandbox: true })).toEqual({ result: {} });
  expect(await editor.request("pi/bash", { command: 5 })).toMatchObject({ error: { code: -32602 } });
  expect(await editor.request("pi/bash", { command: "ls", id: 5 })).toMatchObject({ error: { code: -32602 } });
  const notes = editor.all("window/logMessage").filter(({ params }) => /99\.0\.0/.test(String(params.message)));
  expect(notes.length).toBe(2);
});
