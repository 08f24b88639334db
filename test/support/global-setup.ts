import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { realPis } from "./pis.ts";

/** Once for the whole run: the executable under test, from the sources as they are. */
export default function setup(): void {
  execFileSync("npm", ["run", "-s", "bundle"], { cwd: resolve(import.meta.dirname, "../.."), stdio: "inherit" });
  process.stdout.write(`Node ${process.version}; real pi: ${realPis.map((pi) => pi.name).join(", ")}\n`);
}
