/**
 * An editor as a process of its own, so that it can be killed: starts the bridge (the words of the command line) and
 * passes on what comes and goes. Its parent tells it by messages to close or to stop reading one of the bridge's pipes.
 */
import { spawn } from "node:child_process";

export type Order = "close stdin" | "close stdout" | "stop reading" | "read on";

const [file = "", ...args] = process.argv.slice(2);
const bridge = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
process.send?.({ pid: bridge.pid });

process.stdin.pipe(bridge.stdin);
bridge.stdout.pipe(process.stdout);
bridge.stdin.on("error", () => {});
bridge.on("exit", (code, signal) => {
  process.send?.({ code, signal });
  // What it wrote last is read also by an editor that had stopped to.
  bridge.stdout.pipe(process.stdout);
});
bridge.on("close", () => process.exit());
process.on("disconnect", () => process.exit());

process.on("message", (order: Order) => {
  if (order === "close stdin") bridge.stdin.end();
  else if (order === "close stdout") bridge.stdout.destroy();
  else if (order === "stop reading") bridge.stdout.unpipe(process.stdout).pause();
  else bridge.stdout.pipe(process.stdout);
});
