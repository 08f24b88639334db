import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { redactor } from "./redact.ts";

export type Level = "info" | "warning" | "error";

/** At this size the file becomes `<file>.1`, and a new one begins. */
const ROTATE_BYTES = 20 * 1024 * 1024;

/** What happened to the pi process. */
export type ProcessNote = { start: readonly string[] } | { stderr: string } | { exit: number } | { kill: string };

export interface TraceOptions {
  rotateBytes?: number;
  /** The file cannot be written any more: a full disk ends the trace, and nothing else. */
  ended?(reason: string): void;
}

/**
 * The trace of `--log`, in the format of `steps.ts`, which `pi-language-server replay` plays. Written synchronously, so
 * that the last line before a crash is there.
 */
export class TraceFile {
  private readonly path: string;
  private redact: (json: string) => string;
  private readonly environments: NodeJS.ProcessEnv[];
  /** Undefined once it could not be written. */
  private file: number | undefined;
  private size: number;
  private readonly options: TraceOptions;

  /**
   * @param env is searched for keys.
   * @throws when the file cannot be written.
   */
  constructor(path: string, env: NodeJS.ProcessEnv, options: TraceOptions = {}) {
    this.path = path;
    this.options = options;
    this.environments = [env];
    this.redact = redactor(env);
    this.file = openSync(path, "a");
    this.size = fstatSync(this.file).size;
  }

  /** The keys in this environment are left out from here on, too. */
  hide(env: NodeJS.ProcessEnv): void {
    this.environments.push(env);
    this.redact = redactor(...this.environments);
  }

  log(level: Level, text: string): void {
    this.write(`"level":${JSON.stringify(level)},"log":${JSON.stringify(text)}`);
  }

  traffic(direction: "toPi" | "fromPi", line: Buffer | string): void {
    const text = typeof line === "string" ? line : line.toString("utf8");
    this.write(`"${direction}":${isObject(text) ? text : JSON.stringify(text)}`);
  }

  process(note: ProcessNote): void {
    this.write(JSON.stringify(note).slice(1, -1));
  }

  private write(members: string): void {
    if (this.file === undefined) return;
    const line = Buffer.from(`{"time":"${new Date().toISOString()}",${this.redact(members)}}\n`);
    try {
      if (this.size + line.length > (this.options.rotateBytes ?? ROTATE_BYTES) && this.size > 0)
        this.file = this.rotate(this.file);
      this.size += writeSync(this.file, line);
    } catch (error) {
      this.file = undefined;
      this.options.ended?.((error as Error).message);
    }
  }

  private rotate(file: number): number {
    closeSync(file);
    renameSync(this.path, `${this.path}.1`);
    this.size = 0;
    return openSync(this.path, "a");
  }
}

/** Anything else is kept as a string, so that it cannot be taken for a record. */
function isObject(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
