import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

const TAIL_CHARACTERS = 8 * 1024;

/** pi's stderr: diagnostics for people, never protocol. Keeps the end of it, for the error that explains an exit. */
export class StderrTail {
  private readonly decoder = new StringDecoder("utf8");
  private text = "";

  /** The chunk as readable text, for the log. */
  push(chunk: Buffer): string {
    const text = stripVTControlCharacters(this.decoder.write(chunk));
    this.text = (this.text + text).slice(-TAIL_CHARACTERS);
    return text;
  }

  toString(): string {
    return this.text.trim();
  }
}
