import type {
  DidChangeTextDocumentParams,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
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

  readonly feature: Feature = {
    capabilities: () => ({ textDocumentSync: { openClose: true, change: INCREMENTAL } }),
    notifications: {
      "textDocument/didOpen": (params) => {
        const { uri, languageId, version, text } = (params as DidOpenTextDocumentParams).textDocument;
        const document = TextDocument.create(uri, languageId, version, text);
        this.open.set(uri, document);
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
      "textDocument/didClose": (params) => {
        const { uri } = (params as DidCloseTextDocumentParams).textDocument;
        if (!this.open.delete(uri)) return;
        for (const follower of this.followers) follower.closed?.(uri);
      },
    },
  };
}
