import type {
  DidChangeTextDocumentParams,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
  DidSaveTextDocumentParams,
  TextDocumentContentChangeEvent,
} from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Feature } from "./feature.ts";

// The number itself: loading the constants would cost more than a third of the start.
const INCREMENTAL = 2;

/** Hears of everything that happens to the documents, after it has happened. */
export interface DocumentFollower {
  opened?(document: TextDocument): void;
  changed?(document: TextDocument, changes: readonly TextDocumentContentChangeEvent[]): void;
  closed?(uri: string): void;
}

/** The texts that the editor has open. Positions are UTF-16, as the protocol has them. */
export class Documents {
  private readonly open = new Map<string, TextDocument>();
  /** The version of each document that is on the disk, as far as the editor has said. */
  private readonly saved = new Map<string, number>();
  private readonly followers: DocumentFollower[] = [];

  follow(follower: DocumentFollower): void {
    this.followers.push(follower);
  }

  get all(): Iterable<TextDocument> {
    return this.open.values();
  }

  get(uri: string): TextDocument | undefined {
    return this.open.get(uri);
  }

  /** Nothing has been changed in the document since it was opened or saved. */
  isUntouched({ uri, version }: TextDocument): boolean {
    return this.saved.get(uri) === version;
  }

  readonly feature: Feature = {
    capabilities: () => ({ textDocumentSync: { openClose: true, change: INCREMENTAL, save: true } }),
    notifications: {
      "textDocument/didOpen": (params) => {
        const { uri, languageId, version, text } = (params as DidOpenTextDocumentParams).textDocument;
        const document = TextDocument.create(uri, languageId, version, text);
        this.open.set(uri, document);
        this.saved.set(uri, document.version);
        for (const follower of this.followers) follower.opened?.(document);
      },
      "textDocument/didChange": (params) => {
        const { textDocument, contentChanges } = params as DidChangeTextDocumentParams;
        const document = this.open.get(textDocument.uri);
        if (!document) return;
        // Some clients send no version with a change.
        TextDocument.update(document, contentChanges, textDocument.version ?? document.version + 1);
        for (const follower of this.followers) follower.changed?.(document, contentChanges);
      },
      "textDocument/didSave": (params) => {
        const document = this.open.get((params as DidSaveTextDocumentParams).textDocument.uri);
        if (document) this.saved.set(document.uri, document.version);
      },
      "textDocument/didClose": (params) => {
        const { uri } = (params as DidCloseTextDocumentParams).textDocument;
        this.saved.delete(uri);
        if (!this.open.delete(uri)) return;
        for (const follower of this.followers) follower.closed?.(uri);
      },
    },
  };
}
