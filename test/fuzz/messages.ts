import { bridgeMethods } from "../../src/protocol/bridge.ts";
import { commands } from "../../src/protocol/commands.ts";
import type { Random } from "../support/random.ts";

const POSITION = { textDocument: { uri: "file:///x.md" }, position: { line: 0, character: 1 } };

/** What an editor may ask, from the examples in the tables. */
const REQUESTS: readonly { method: string; params?: unknown }[] = [
  ...Object.entries(commands).map(([name, { example }]) => ({ method: `pi/${name}`, params: example.params })),
  ...Object.entries(bridgeMethods.requests).flatMap(([method, { example }]) =>
    // It takes long, and is always the same.
    method === "rpc.discover" ? [] : [{ method, params: example.params }],
  ),
  { method: "workspace/executeCommand", params: { command: "pi.prompt", arguments: [{ message: "hi" }] } },
  { method: "workspace/executeCommand", params: { command: "pi.bash", arguments: ["ls"] } },
  { method: "textDocument/completion", params: POSITION },
  { method: "textDocument/hover", params: POSITION },
  { method: "pi/a_command_of_tomorrow", params: {} },
  { method: "no/such/method" },
];

const NOTIFICATIONS: readonly { method: string; params?: unknown }[] = [
  { method: "initialized", params: {} },
  { method: "$/setTrace", params: { value: "verbose" } },
  { method: "$/setTrace", params: { value: "off" } },
  { method: "workspace/didChangeConfiguration", params: { settings: { pi: { events: true, dialogs: ["select"] } } } },
  {
    method: "textDocument/didOpen",
    params: { textDocument: { uri: "file:///x.md", languageId: "markdown", version: 1, text: "a\n\n---\n" } },
  },
  {
    method: "textDocument/didChange",
    params: { textDocument: { uri: "file:///x.md", version: 2 }, contentChanges: [{ text: "b" }] },
  },
  { method: "textDocument/didClose", params: { textDocument: { uri: "file:///x.md" } } },
  { method: "pi/prompt", params: { message: "not a request" } },
];

export function initialize(id: string, cwd: string, isOptedIn: boolean): object {
  return {
    ...{ jsonrpc: "2.0", id, method: "initialize" },
    params: {
      processId: null,
      rootUri: `file://${cwd}`,
      capabilities: isOptedIn ? { experimental: { pi: { events: true, dialogs: ["select", "confirm"] } } } : {},
      initializationOptions: { session: "new", name: "fuzz" },
    },
  };
}

/** A valid message, with a new id if it is a request. `earlier` are the ids so far. */
export function message(random: Random, id: string, earlier: readonly string[]): object {
  const kind = random.below(20);
  if (kind < 12) return { jsonrpc: "2.0", id, ...random.pick(REQUESTS) };
  if (kind < 16) return { jsonrpc: "2.0", ...random.pick(NOTIFICATIONS) };
  if (kind < 19) return { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: random.pick(earlier) ?? "none" } };
  return { jsonrpc: "2.0", id: random.below(5), result: random.pick([null, { value: "x" }, { confirmed: true }, 5]) };
}

/** The last words. After them an editor says nothing that counts. */
export const LAST_WORDS: readonly object[] = [
  { jsonrpc: "2.0", id: "shutdown", method: "shutdown" },
  { jsonrpc: "2.0", method: "exit" },
];
