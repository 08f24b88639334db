/**
 * The bridge as one writes it in an afternoon, for comparison: every line is parsed, and sent with vscode-jsonrpc.
 * It does no more than that, and waits for each message to be written, which is cheaper for it than a long queue.
 */
import { spawn } from "node:child_process";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const answers = new Map<string, (data: unknown) => void>();
let pi: ReturnType<typeof start> | undefined;
let nextId = 1;

connection.onRequest((method, params) => {
  if (method === "initialize") {
    const { command, args } = (params as { initializationOptions: { command: string[]; args: string[] } })
      .initializationOptions;
    pi = start([...command, "--mode", "rpc", ...args]);
    return { capabilities: {} };
  }
  const id = `${nextId++}`;
  pi?.stdin.write(`${JSON.stringify({ ...params, id, type: method.slice("pi/".length) })}\n`);
  return new Promise((resolve) => answers.set(id, resolve));
});
connection.listen();
process.on("SIGTERM", () => pi?.kill());

function start([file = "", ...args]: string[]) {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.once("exit", () => process.exit());
  void (async () => {
    let rest = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const record = JSON.parse(line);
        if (record.type === "response") answers.get(record.id)?.(record.data ?? null);
        else await connection.sendNotification(`pi/${record.type}`, record);
      }
    }
  })();
  return child;
}
