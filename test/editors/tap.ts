/**
 * The bridge as an editor starts it, with everything that passes between the two in files: `tap.ts FOLDER [--full-sync]
 * [arguments]` appends to FOLDER/said (by the editor) and FOLDER/heard (by it). So a test waits for a message and not for
 * time. FOLDER/order has a line for each chunk: which of the two, and its bytes. With --full-sync the editor is told that this server wants whole texts, as an older one would say it.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";

const [folder = ".", ...rest] = process.argv.slice(2);
let wantsFull = rest[0] === "--full-sync";
const args = wantsFull ? rest.slice(1) : rest;
const bundle = resolve(import.meta.dirname, "../../dist/pi-language-server.cjs");
const bridge = spawn(process.execPath, [bundle, ...args], { stdio: ["pipe", "pipe", "inherit"] });
const said = createWriteStream(join(folder, "said"), { flags: "a" });
const heard = createWriteStream(join(folder, "heard"), { flags: "a" });
const order = createWriteStream(join(folder, "order"), { flags: "a" });

process.stdin.on("data", (chunk) => {
  said.write(chunk);
  order.write(`said ${chunk.length}\n`);
  bridge.stdin.write(chunk);
});
process.stdin.on("end", () => bridge.stdin.end());
bridge.stdin.on("error", () => {});
bridge.stdout.on("data", (chunk: Buffer) => {
  const passed = wantsFull ? withFullSync(chunk) : chunk;
  heard.write(passed);
  order.write(`heard ${passed.length}\n`);
  process.stdout.write(passed);
});
bridge.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => bridge.kill(signal));

/** The first answer with another kind of synchronization, which is as long. */
function withFullSync(chunk: Buffer): Buffer {
  const text = chunk.toString("latin1");
  const full = text.replace('"openClose":true,"change":2', '"openClose":true,"change":1');
  wantsFull = full === text;
  return Buffer.from(full, "latin1");
}
