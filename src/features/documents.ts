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

/** Hears of everything that happens to the documents that are kept, after it has happened. */
export interface DocumentFollower {
  opened?(document: TextDocument): void;
  changed?(document: TextDocument, changes: readonly TextDocumentContentChangeEvent[]): void;
  closed?(uri: string): void;
}

/** The texts that the editor has open, as far as anybody here wants them. Positions are UTF-16, as the protocol has them. */
export class Documents {
  private readonly open = new Map<string, TextDocument>();
  private readonly followers: DocumentFollower[] = [];
  private readonly events: { wants(uri: string, languageId: string): boolean; opened(document: TextDocument): void };

  /**
   * @param events `wants`: whether a document is kept; all others cost nothing beyond the reading of their messages.
   *   `opened`: one that is wanted has been opened.
   */
  constructor(events: Documents["events"]) {
    this.events = events;
  }

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
        if (!this.events.wants(uri, languageId)) return;
        const document = TextDocument.create(uri, languageId, version, text);
        this.open.set(uri, document);
        this.events.opened(document);
        for (const follower of this.followers) follower.opened?.(document);
      },
      "textDocument/didChange": (params) => {
        const { textDocument, contentChanges } = params as DidChangeTextDocumentParams;
        const document = this.open.get(textDocument.uri);
        // Some clients send no version with a change.
        if (!document) return;
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
