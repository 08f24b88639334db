import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readStepsOf } from "./steps.ts";

/**
 * The words of a pi that plays the trace: this very program. It is a process as pi is, so that a trace that ends with a
 * crash is replayed as one.
 * @throws when the file is no trace.
 */
export function replayCommand(file: string): string[] {
  const trace = resolve(file);
  if (readStepsOf(trace).every((steps) => steps.length === 0)) throw new Error(`there is nothing to play in ${file}`);
  const folder = mkdtempSync(join(tmpdir(), "pi-language-server-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [, program = ""] = process.argv;
  return [process.execPath, program, "play", trace, "--journal", join(folder, "journal")];
}
