import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { redactor } from "./redact.ts";

export type Level = "info" | "warning" | "error";

/** At this size the file becomes `<file>.1`, and a new one begins. */
const ROTATE_BYTES = 20 * 1024 * 1024;

/**
 * The trace of `--log`: JSON lines, `{time, …}` with one of
 *
 *     toPi, fromPi    a record, or a string where the line was none
 *     log, level      what the bridge has to say
 *
 * The file is a scenario: `pi-language-server replay` plays the pi side of it. Written synchronously, so that the
 * last line before a crash is there.
 */
export class TraceFile {
  private readonly path: string;
  private readonly redact: (json: string) => string;
  private file: number;
  private size: number;

  /** @throws when the file cannot be written. */
  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.path = path;
    this.redact = redactor(env);
    this.file = openSync(path, "a");
    this.size = fstatSync(this.file).size;
  }

  log(level: Level, text: string): void {
    this.write(`"level":${JSON.stringify(level)},"log":${JSON.stringify(text)}`);
  }

  traffic(direction: "toPi" | "fromPi", line: Buffer | string): void {
    const text = typeof line === "string" ? line : line.toString("utf8");
    this.write(`"${direction}":${isJson(text) ? text : JSON.stringify(text)}`);
  }

  private write(members: string): void {
    const line = Buffer.from(`{"time":"${new Date().toISOString()}",${this.redact(members)}}\n`);
    if (this.size + line.length > ROTATE_BYTES && this.size > 0) this.rotate();
    this.size += writeSync(this.file, line);
  }

  private rotate(): void {
    closeSync(this.file);
    renameSync(this.path, `${this.path}.1`);
    this.file = openSync(this.path, "a");
    this.size = 0;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
