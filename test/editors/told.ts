import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";
import { applyChanges } from "../../src/features/chat/changes.ts";
import { Unframer } from "../support/frames.ts";

interface Said {
  method?: string;
  params?: {
    textDocument?: { uri: string; text?: string };
    contentChanges?: TextDocumentContentChangeEvent[];
  };
}

/** The documents as the editor has told of them, from the file of what it has said. */
export class Told {
  private readonly path: string;
  private readonly unframer = new Unframer();
  private offset = 0;
  private readonly texts = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
  }

  /** The text of FILE; undefined before the editor has opened it. */
  textOf(file: string): string | undefined {
    this.read();
    return this.texts.get(file);
  }

  private read(): void {
    if (!existsSync(this.path)) return;
    const file = openSync(this.path, "r");
    const buffer = Buffer.alloc(64 * 1024);
    for (let bytes = 1; bytes > 0; ) {
      bytes = readSync(file, buffer, 0, buffer.length, this.offset);
      this.offset += bytes;
      // The unframer may keep what it is given.
      for (const body of this.unframer.push(Buffer.from(buffer.subarray(0, bytes)))) this.take(body);
    }
    closeSync(file);
  }

  private take(body: Buffer): void {
    const { method, params } = JSON.parse(body.toString("utf8")) as Said;
    const document = params?.textDocument;
    if (!document?.uri.startsWith("file:")) return;
    const file = fileURLToPath(document.uri);
    if (method === "textDocument/didOpen") this.texts.set(file, document.text ?? "");
    if (method === "textDocument/didChange")
      this.texts.set(file, applyChanges(this.texts.get(file) ?? "", params?.contentChanges ?? []).text);
  }
}
