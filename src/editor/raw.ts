/**
 * JSON text that is passed on byte for byte, where vscode-jsonrpc expects a value. It is written into the
 * message by the splicing writer; nothing is decoded on the way.
 */
export class RawJson {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** For whoever needs the value after all, such as a trace. */
  toJSON(): unknown {
    return JSON.parse(this.bytes.toString("utf8"));
  }
}
