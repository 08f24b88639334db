import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CancellationToken } from "vscode-jsonrpc/node";
import type { EditorConnection } from "../../editor/connection.ts";
import { isChatDocument } from "../completion/prompt.ts";
import type { Documents } from "../documents.ts";
import { decoded } from "../uri.ts";
import { rangeOf } from "./changes.ts";
import type { Client } from "./client.ts";
import { sessionOf } from "./layout.ts";
import type { Clock } from "./pace.ts";
import { Transcript } from "./transcript.ts";
import { type Trouble, Writer, type WriterEvents } from "./writer.ts";

const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** One chat document. It may be closed, and opened again: what is written meanwhile waits. */
export class ChatDocument {
  readonly writer: Writer;
  private readonly events: WriterEvents;
  transcript = new Transcript();
  isOpen = false;
  /** The session that it is the transcript of. */
  session: string | undefined;
  uri: string;

  constructor(uri: string, client: Client, events: WriterEvents) {
    this.uri = uri;
    this.events = events;
    this.writer = new Writer(client.manner, events, CLOCK);
  }

  get text(): string {
    return this.writer.text;
  }

  /** The file's name, for people. */
  get name(): string {
    return basename(decoded(this.uri));
  }

  append(text: string): void {
    this.writer.append(text);
  }

  /** Writes what waits into the file, when no editor has it open. @returns false when it cannot be written */
  writeFile(): boolean {
    if (this.isOpen || !this.uri.startsWith("file:")) return true;
    try {
      const path = fileURLToPath(this.uri);
      const text = this.writer.write(readFileSync(path, "utf8"));
      if (text !== undefined) writeFileSync(path, text);
      return true;
    } catch (error) {
      // One that is not there any more was taken away. pi's session has it all.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.events.trouble("unwritable");
      return false;
    }
  }
}

/** The chat documents that there are, and which of them is meant. */
export class ChatDocuments {
  /** Where pi's words go. */
  target: ChatDocument | undefined;
  /** Where the person is: what was opened or edited last. */
  private edited: ChatDocument | undefined;
  private readonly all = new Map<string, ChatDocument>();
  private readonly client: Client;
  private readonly editor: EditorConnection;
  private readonly events: {
    opened(document: ChatDocument): void;
    changed(document: ChatDocument): void;
    trouble(document: ChatDocument, what: Trouble): void;
  };

  constructor(client: Client, editor: EditorConnection, documents: Documents, events: ChatDocuments["events"]) {
    this.client = client;
    this.editor = editor;
    this.events = events;
    documents.follow({
      opened: (document) => {
        const { uri, version } = document;
        if (isChatDocument(uri)) this.opened(uri, document.getText(), version);
      },
      changed: ({ uri, version }, changes) => {
        const document = this.all.get(keyOf(uri));
        if (!document) return;
        if (document.writer.isIdle) this.edited = document;
        document.writer.changed(changes, version);
        events.changed(document);
      },
      closed: (uri) => {
        const document = this.all.get(keyOf(uri));
        if (!document) return;
        document.isOpen = false;
        document.writer.closed();
      },
    });
  }

  /** The document of this name, whether it is open or not. */
  of(uri: string): ChatDocument {
    const key = keyOf(uri);
    const known = this.all.get(key);
    if (known) return known;
    const document: ChatDocument = new ChatDocument(uri, this.client, {
      send: (id, edits, text, version, isExact) => {
        const changes = edits.map((edit) => ({ range: rangeOf(text, edit), newText: edit.text }));
        const { uri: name, writer } = document;
        this.editor
          .request("workspace/applyEdit", this.client.edit(name, version, changes, isExact), CancellationToken.None)
          .then(
            (reply) => writer.replied(id, (Object(reply) as { applied?: unknown }).applied === true),
            () => writer.replied(id, false),
          );
      },
      trouble: (what) => this.events.trouble(document, what),
    });
    this.all.set(key, document);
    return document;
  }

  get(uri: string): ChatDocument | undefined {
    return this.all.get(keyOf(uri));
  }

  get open(): ChatDocument[] {
    return [...this.all.values()].filter(({ isOpen }) => isOpen);
  }

  /** The open document that is meant when none is named. */
  get current(): ChatDocument | undefined {
    return [this.edited, this.target].find((document) => document?.isOpen) ?? this.open.at(-1);
  }

  /** Nothing is sent to the editor any more. */
  stop(): void {
    for (const { writer } of this.all.values()) writer.closed();
  }

  private opened(uri: string, text: string, version: number): void {
    const document = this.of(uri);
    document.uri = uri;
    document.isOpen = true;
    this.edited = document;
    document.session ??= sessionOf(text);
    document.writer.opened(text, version);
    this.events.opened(document);
  }
}

/** Editors write the same name in several ways, and follow links. */
function keyOf(uri: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    return realPath(fileURLToPath(uri));
  } catch {
    return uri;
  }
}

/** Of a file that is not there yet it is what it will be once it is saved. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
