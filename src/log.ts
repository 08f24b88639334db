import { openSync, writeSync } from "node:fs";

export type Level = "info" | "warning" | "error";

/** Base64 of this length is an image, not a word; a log is for reading, and for attaching to a bug report. */
const IMAGE_DATA = /"data":"[A-Za-z0-9+/=]{256,}"/g;

/** The log file of `--log`: JSON lines, appended. Synchronous, so that the last line before a crash is there. */
export class LogFile {
  private readonly file: number;

  /** @throws when the file cannot be written. */
  constructor(path: string) {
    this.file = openSync(path, "a");
  }

  text(level: Level, text: string): void {
    this.write({ level, text });
  }

  traffic(direction: "to-pi" | "from-pi", line: Buffer | string): void {
    const text = typeof line === "string" ? line : line.toString("utf8");
    this.write({ direction, line: text.replaceAll(IMAGE_DATA, (data) => `"data":"<${data.length - 9} characters>"`) });
  }

  private write(entry: object): void {
    writeSync(this.file, `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  }
}
