/**
 * The bridge as an editor starts it, with everything that passes between the two in files: `tap.ts FOLDER [arguments]`
 * appends to FOLDER/said (by the editor) and FOLDER/heard (by it). So a test waits for a message and not for time.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";

const [folder = ".", ...args] = process.argv.slice(2);
const bundle = resolve(import.meta.dirname, "../../dist/pi-language-server.cjs");
const bridge = spawn(process.execPath, [bundle, ...args], { stdio: ["pipe", "pipe", "inherit"] });
const said = createWriteStream(join(folder, "said"), { flags: "a" });
const heard = createWriteStream(join(folder, "heard"), { flags: "a" });

process.stdin.on("data", (chunk) => {
  said.write(chunk);
  bridge.stdin.write(chunk);
});
process.stdin.on("end", () => bridge.stdin.end());
bridge.stdin.on("error", () => {});
bridge.stdout.on("data", (chunk) => {
  heard.write(chunk);
  process.stdout.write(chunk);
});
bridge.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => bridge.kill(signal));
