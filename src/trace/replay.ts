import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * The words of a pi that plays the trace: this very program. It is a process as pi is, so that a trace that ends with a
 * crash is replayed as one.
 */
export function replayCommand(file: string): string[] {
  const trace = resolve(file);
  const folder = mkdtempSync(join(tmpdir(), "pi-language-server-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [, program = ""] = process.argv;
  return [process.execPath, program, "play", trace, "--journal", join(folder, "journal")];
}
