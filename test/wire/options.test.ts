import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { connect, initializeParams, type Talk, talkTo } from "../support/talk.ts";

const started = async (editor: Talk) => {
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  const [start] = editor.fakeLog;
  return start && "start" in start ? start : undefined;
};

/** A session file must exist; the fake pi does not look into it. */
const SOME_FILE = import.meta.filename;

/** Options, and the words behind `--mode rpc` that they come to. */
const words: [options: Record<string, unknown>, words: string[]][] = [
  [{}, []],
  [{ args: ["--model", "sonnet"] }, ["--model", "sonnet"]],
  [{ session: "new" }, []],
  [{ session: "last" }, ["--continue"]],
  [{ session: { id: "0199f1c2" } }, ["--session", "0199f1c2"]],
  [{ session: { file: SOME_FILE } }, ["--session", SOME_FILE]],
  [{ name: "checkout rewrite" }, ["--name", "checkout rewrite"]],
  [{ trust: "approve" }, ["--approve"]],
  [{ trust: "no-approve" }, ["--no-approve"]],
  [
    { args: ["-e", "a.ts"], session: "last", name: "n", trust: "approve" },
    ["-e", "a.ts", "--continue", "--name", "n", "--approve"],
  ],
  // As a shell at the other end of ssh would read them.
  [{ remoteShell: true, args: ["--model", "a b", "it's", "$HOME"] }, ["--model", "'a b'", "'it'\\''s'", "'$HOME'"]],
];

test.for(words)("%j", async ([initializationOptions, args]) => {
  const editor = await talkTo(fakePi, [], { initializationOptions });
  expect((await started(editor))?.start).toEqual(["--mode", "rpc", ...args]);
});

/** What a client says of its folders, and the one that pi works in. */
const folders: [
  name: string,
  says: (project: string, root: string) => Record<string, unknown>,
  wanted: string,
  warns: number,
][] = [
  ["rootUri", (project) => ({ rootUri: uri(project) }), "project", 0],
  [
    "the first workspace folder",
    (project, root) => ({ workspaceFolders: [{ uri: uri(project) }, { uri: uri(root) }], rootUri: uri(root) }),
    "project",
    0,
  ],
  ["rootPath", (project) => ({ rootUri: null, rootPath: project }), "project", 0],
  [
    "a folder that does not exist",
    (project, root) => ({ workspaceFolders: [{ uri: uri(join(root, "gone")) }], rootUri: uri(project) }),
    "project",
    1,
  ],
  [
    "the root of the disk",
    (project) => ({ workspaceFolders: [{ uri: "file:///" }, { uri: uri(project) }], rootUri: null }),
    "project",
    1,
  ],
  ["a NUL", (project) => ({ workspaceFolders: [{ uri: "file:///a%00b" }, { uri: uri(project) }] }), "project", 1],
  ["another scheme", (project) => ({ workspaceFolders: [{ uri: "untitled:x" }, { uri: uri(project) }] }), "project", 0],
  ["spaces and umlauts", () => ({}), "ä folder", 0],
  ["nothing", () => ({ rootUri: null, workspaceFolders: null }), "project", 0],
];

const uri = (path: string) => pathToFileURL(path).href;

test.for(folders)("pi's working directory: %s", async ([name, says, wanted, warns]) => {
  const editor = connect();
  const { sandbox } = editor;
  const folder = name === "spaces and umlauts" ? sandbox.folder(wanted) : sandbox.project;
  const initialize = name === "spaces and umlauts" ? { rootUri: uri(folder) } : says(sandbox.project, sandbox.root);
  await editor.call("initialize", { ...initializeParams(editor, fakePi, []), rootUri: null, ...initialize });
  expect((await started(editor))?.cwd).toBe(folder);
  const warnings = editor
    .all("window/logMessage")
    .filter(({ params }) => String(params.message).includes("passed over"));
  expect(warnings.length).toBe(warns);
});

/** A wrong value fails initialize, and the message names the key. */
const wrong: [options: Record<string, unknown>, path: (string | number)[], says: string][] = [
  [{ command: "pi" }, ["command"], 'command must be an array, got "pi"'],
  [{ command: [] }, ["command"], "command must have at least 1 items, got []"],
  [{ command: ["pi", 1] }, ["command", 1], "command.1 must be a string, got 1"],
  [{ args: "--model" }, ["args"], "args must be an array"],
  [{ env: { A: 1 } }, ["env", "A"], "env.A must be a string, got 1"],
  [{ cwd: 1 }, ["cwd"], "cwd must be a string, got 1"],
  [{ session: "newest" }, ["session"], 'session must be "new" or "last" or an object, got "newest"'],
  [{ session: { file: 5 } }, ["session", "file"], "session.file must be a string, got 5"],
  [{ trust: "yes" }, ["trust"], 'trust must be one of "approve", "no-approve", got "yes"'],
  [{ startTimeoutMs: "1s" }, ["startTimeoutMs"], "startTimeoutMs must be"],
  [{ startTimeoutMs: 0 }, ["startTimeoutMs"], "startTimeoutMs"],
  [{ remoteShell: "yes" }, ["remoteShell"], 'remoteShell must be a boolean, got "yes"'],
  [{ executeCommand: 0 }, ["executeCommand"], "executeCommand must be a boolean, got 0"],
  [{ command: ["p\0i"] }, ["command", 0], "command.0: must not contain a NUL character"],
  [{ args: ["\0"] }, ["args", 0], "args.0: must not contain a NUL"],
  [{ env: { A: "\0" } }, ["env", "A"], "env.A: must not contain a NUL"],
  [{ env: { "A\0": "" } }, ["env", "A\0"], "must not contain a NUL"],
  [{ cwd: "/\0" }, ["cwd"], "cwd: must not contain a NUL"],
  [{ name: "\0" }, ["name"], "name: must not contain a NUL"],
  [{ session: { file: "\0" } }, ["session", "file"], "session.file: must not contain a NUL"],
  [{ maxCommandBytes: 1 }, ["maxCommandBytes"], "maxCommandBytes"],
];

test.for(wrong)("%j fails initialize", async ([options, path, says]) => {
  const editor = connect();
  const params = { ...initializeParams(editor, fakePi, []), initializationOptions: options };
  const answer = await editor.request("initialize", params);
  expect(answer).toMatchObject({
    error: {
      code: -32602,
      message: expect.stringContaining(says),
      data: { kind: "invalid_params", issues: [{ path, message: expect.any(String) }] },
    },
  });
  editor.notify("exit");
  await editor.bridge.ended;
});

test("an option that nobody knows is a warning, with a hint", async () => {
  const editor = await talkTo(fakePi, [], { initializationOptions: { sesion: "last", telepathy: true } });
  expect((await started(editor))?.start).toEqual(["--mode", "rpc"]);
  const warnings = editor.all("window/logMessage").map(({ params }) => params.message);
  expect(warnings).toEqual([
    'initializationOptions: unknown key "sesion" (did you mean "session"?), ignored.',
    'initializationOptions: unknown key "telepathy", ignored.',
  ]);
});

test("a session file that does not exist is a failure, not an empty session", async () => {
  const editor = await talkTo(fakePi, [], {
    initializationOptions: ({ sandbox }) => ({
      command: [sandbox.file("pi", "#!/bin/sh\n", 0o755)],
      session: { file: "./gone.jsonl" },
    }),
  });
  expect(await editor.request("pi/get_state")).toMatchObject({
    error: { code: -32803, data: { kind: "unavailable", reason: "session_missing" } },
  });
});
