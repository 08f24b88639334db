import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Bridge, BridgeProcess } from "../support/bridge.ts";
import { fakePi } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import { connect, initializeParams, type Talk } from "../support/talk.ts";

/** A bridge that connects to the editor's listener: its bytes go over the socket, its end is the process's. */
class SocketBridge extends BridgeProcess implements Bridge {
  private readonly socket: Promise<Socket>;

  constructor(server: Server, sandbox: Sandbox, args: readonly string[]) {
    super(sandbox, args);
    this.socket = once(server, "connection").then(([socket]) => socket as Socket);
  }

  override write(bytes: Buffer): void {
    void this.socket.then((socket) => socket.write(bytes));
  }

  override endInput(): void {
    void this.socket.then((socket) => socket.end());
  }

  override onData(listener: (chunk: Buffer) => void): void {
    void this.socket.then((socket) => socket.on("data", listener));
  }
}

async function listen(where: string | number): Promise<Server> {
  const server = createServer();
  if (typeof where === "number") server.listen(where, "127.0.0.1");
  else server.listen(where);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return server;
}

async function converse(talk: Talk): Promise<void> {
  const scenario = [{ expect: { type: "get_tree" }, reply: { heard: "é—🦋" } }];
  await talk.call("initialize", initializeParams(talk, fakePi, scenario));
  expect(await talk.request("pi/get_tree")).toEqual({ result: { heard: "é—🦋" } });
}

test.for([["--pipe"], ["--pipe="]])("%s connects to a socket file", async ([flag = ""]) => {
  const sandbox = new Sandbox();
  const path = join(sandbox.root, "editor.sock");
  const server = await listen(path);
  const flags = flag.endsWith("=") ? [`${flag}${path}`] : [flag, path];
  await converse(connect({ bridge: new SocketBridge(server, sandbox, flags) }, sandbox));
});

test.for([["--socket"], ["--socket="]])("%s connects to a port", async ([flag = ""]) => {
  const sandbox = new Sandbox();
  const server = await listen(0);
  const { port } = server.address() as { port: number };
  const flags = flag.endsWith("=") ? [`${flag}${port}`] : [flag, String(port)];
  await converse(connect({ bridge: new SocketBridge(server, sandbox, flags) }, sandbox));
});

test("the end of the connection is the end of the bridge", async () => {
  const sandbox = new Sandbox();
  const path = join(sandbox.root, "editor.sock");
  const talk = connect({ bridge: new SocketBridge(await listen(path), sandbox, ["--pipe", path]) }, sandbox);
  await converse(talk);
  talk.bridge.endInput();
  expect(await talk.bridge.ended).toEqual({ code: 1, signal: null, stderr: "" });
});

test.for([
  ["--pipe", "/no/such/socket"],
  ["--socket", "1"],
])("%s where nobody listens", async (flags) => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  expect(await new BridgeProcess(sandbox, flags).ended).toEqual({
    code: 1,
    signal: null,
    stderr: expect.stringMatching(/^pi-language-server: cannot connect to the editor: [^\n]*\n$/),
  });
});

test("--stdio may be said", async () => {
  const talk = connect({ flags: ["--stdio"] });
  await converse(talk);
});

test("an editor that closes its end of a socket, and reads on, gets its answers", async () => {
  const sandbox = new Sandbox();
  const server = await listen(join(sandbox.root, "editor.sock"));
  const flags = ["--pipe", join(sandbox.root, "editor.sock")];
  const editor = connect({ bridge: new SocketBridge(server, sandbox, flags) }, sandbox);
  await editor.call("initialize", initializeParams(editor, fakePi, [{ expect: { type: "get_tree" } }]));
  const open = editor.request("pi/get_tree");
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  editor.bridge.endInput();
  expect(await open).toMatchObject({ error: { message: "The bridge is shutting down." } });
  expect(await editor.bridge.ended).toMatchObject({ code: 1 });
});
