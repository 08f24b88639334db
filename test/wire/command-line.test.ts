import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import pkg from "../../package.json" with { type: "json" };
import { BridgeProcess, type Ended } from "../support/bridge.ts";
import { fakePi } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import { connect, initializeParams } from "../support/talk.ts";

/** Runs the executable to its end. */
async function run(args: readonly string[]): Promise<Ended & { stdout: string }> {
  const sandbox = new Sandbox();
  const bridge = new BridgeProcess(sandbox, args);
  let stdout = "";
  bridge.onData((chunk) => {
    stdout += chunk.toString("utf8");
  });
  bridge.endInput();
  const ended = await bridge.ended;
  sandbox.remove();
  return { ...ended, stdout };
}

/** A wrong command line: one line that names what is wrong, and exit status 2. */
const wrong: [args: string[], says: string][] = [
  [["--stdoi"], "--stdoi"],
  [["--model", "sonnet"], "--model"],
  [["-x"], "-x"],
  [["chat"], 'unknown command "chat"'],
  [["schema", "now"], 'unexpected argument "now"'],
  [["path"], "path takes neovim or emacs, got nothing"],
  [["path", "vim"], 'path takes neovim or emacs, got "vim"'],
  [["--stdio", "--pipe", "/tmp/x"], "--stdio and --pipe cannot be used together"],
  [["--pipe", "/tmp/x", "--socket", "1"], "--pipe and --socket cannot be used together"],
  [["--socket", "http"], '--socket must be a number from 1 to 65535, got "http"'],
  [["--socket=0"], "--socket must be a number"],
  [["--socket=65536"], "--socket must be a number"],
  [["--pipe"], "--pipe"],
  [["--clientProcessId=me"], '--clientProcessId must be a number from 1 to 2147483648, got "me"'],
  [["--pi", "[pi]"], "--pi must be an executable or a JSON array of strings, got [pi]"],
  [["--pi", "[]"], "--pi must be"],
  [["--pi", '["ssh", 5]'], "--pi must be"],
  [["--log", "/no/such/folder/log"], "--log: "],
];

test.for(wrong)("%j is a usage error", async ([args, says]) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^pi-language-server: [^\n]+\n$/);
  expect(stderr).toContain(says);
});

test("--version and --help", async () => {
  expect(await run(["--version"])).toEqual({ code: 0, signal: null, stderr: "", stdout: `${pkg.version}\n` });
  const help = await run(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const word of ["--stdio", "--pipe", "--socket", "--clientProcessId", "--pi", "--cwd", "--log", "schema", "demo"])
    expect(help.stdout).toContain(word);
});

test.each(["neovim", "emacs"])("path %s prints the folder of the client", async (editor) => {
  const { code, stdout } = await run(["path", editor]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(import.meta.dirname, "../../clients", editor)}\n` });
});

test("schema prints the OpenRPC document that rpc.discover gives", async () => {
  const { code, stdout } = await run(["schema"]);
  expect(code).toBe(0);
  const editor = connect();
  expect(await editor.call("rpc.discover")).toEqual(JSON.parse(stdout));
  editor.notify("exit");
  expect(await editor.bridge.ended).toMatchObject({ code: 1 });
});

test("--pi, --cwd and what follows -- choose the pi that is started; the client's options come before them", async () => {
  const sandbox = new Sandbox();
  const { command } = fakePi.launch(sandbox, [{ wait: "eof" }, { restart: true }]);
  const flags = ["--pi", JSON.stringify(command), "--cwd", sandbox.home, "--", "--model", "a b", "--", "--no-session"];
  const start = {
    start: ["--mode", "rpc", "--model", "a b", "--", "--no-session"],
    pid: expect.any(Number),
    cwd: sandbox.home,
  };
  const editor = connect({ flags }, sandbox);
  const initialize = { ...initializeParams(editor, fakePi, []), initializationOptions: {} };
  fakePi.launch(sandbox, [{ wait: "eof" }, { restart: true }]);
  await editor.call("initialize", initialize);
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  await editor.close();
  expect(editor.fakeLog[0]).toEqual(start);

  const second = connect({ flags }, sandbox);
  const initializationOptions = { args: ["--offline"], cwd: sandbox.project };
  await second.call("initialize", { ...initialize, initializationOptions });
  await second.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  expect(second.fakeLog.filter((entry) => "start" in entry).at(-1)).toEqual({
    start: ["--mode", "rpc", "--offline"],
    pid: expect.any(Number),
    cwd: sandbox.project,
  });
  await second.close();
});

test("--log appends the traffic with pi, without the data of images", async () => {
  const sandbox = new Sandbox();
  const log = join(sandbox.root, "log.jsonl");
  const image = { type: "image", data: "A".repeat(1000), mimeType: "image/png" };
  const scenario = [{ expect: { type: "prompt" }, reply: { disposition: "started" } }];
  const editor = connect({ flags: ["--log", log] }, sandbox);
  await editor.call("initialize", initializeParams(editor, fakePi, scenario));
  await editor.call("pi/prompt", { message: "hi", images: [image] });
  await editor.close();
  const text = readFileSync(log, "utf8");
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { toPi?: object; fromPi?: object });
  expect(lines.flatMap(({ toPi }) => toPi ?? [])).toContainEqual(
    expect.objectContaining({ type: "prompt", message: "hi" }),
  );
  expect(lines.flatMap(({ fromPi }) => fromPi ?? [])).toContainEqual(
    expect.objectContaining({ command: "prompt", data: { disposition: "started" } }),
  );
  expect(text).not.toContain("A".repeat(300));
});
