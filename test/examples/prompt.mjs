// node prompt.mjs <question> [command …]: streams the agent's answer to stdout. Needs `npm install vscode-jsonrpc`.
import { spawn } from "node:child_process";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const [question = "Hello", ...command] = process.argv.slice(2);
const [file, ...args] = command.length > 0 ? command : ["pi-language-server", "--stdio"];
const server = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
const pi = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));

pi.onNotification("pi/message_update", ({ assistantMessageEvent: event }) => {
  if (event.type === "text_delta") process.stdout.write(event.delta);
});
pi.listen();

await pi.sendRequest("initialize", {
  processId: process.pid,
  rootUri: null,
  capabilities: { experimental: { pi: { events: true } } },
});
await pi.sendNotification("initialized", {});
const { error } = await pi
  .sendRequest("bridge/run", { message: question })
  .catch(({ message }) => ({ error: message }));
process.stdout.write("\n");

await pi.sendRequest("shutdown");
await pi.sendNotification("exit");
if (error) {
  console.error(error);
  process.exitCode = 1;
}
