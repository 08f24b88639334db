import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { EditorConnection } from "../../editor/connection.ts";
import type { Supervisor } from "../../pi/supervisor.ts";
import type { Messages } from "../messages.ts";
import { positionAt } from "./changes.ts";
import type { Client } from "./client.ts";
import type { DocumentSessions } from "./document-sessions.ts";
import type { ChatDocument, ChatDocuments } from "./documents.ts";
import { ChatFile, showDocument } from "./file.ts";
import { below, heading } from "./jobs.ts";
import { writingPlace } from "./layout.ts";

export interface OpeningContext {
  pi: Supervisor;
  editor: EditorConnection;
  messages: Messages;
  env: NodeJS.ProcessEnv;
  chats: ChatDocuments;
  sessions: DocumentSessions;
  client: Client;
}

/** How a chat comes in front of a person. */
export class Opening {
  private readonly context: OpeningContext;
  private readonly file: ChatFile;

  constructor(context: OpeningContext) {
    this.context = context;
    this.file = new ChatFile(context.env);
  }

  /** Shows the open chat; when there is none, a new one. What is written into it before it is open waits. */
  async open(): Promise<ChatDocument> {
    const { editor, pi, messages, chats, client } = this.context;
    const { current } = chats;
    if (current) {
      void showDocument(editor, current.uri);
      return current;
    }
    const path = this.file.make(pi.settings.cwd, client.manner.isProjectBound);
    const { href } = pathToFileURL(path);
    const document = chats.of(href);
    chats.target ??= document;
    const text = readFileSync(path, "utf8");
    const shows = await showDocument(editor, href, positionAt(text, writingPlace(text)));
    if (!shows && !document.isOpen) messages.show("info", `The chat with pi is in ${path}: open it.`);
    return document;
  }

  /** Puts TEXT below the heading of the chat, with the cursor behind it. */
  async draft(text: string): Promise<void> {
    const document = await this.open();
    document.writer.do(
      below(text, (landed) => {
        const { uri, text: now, isOpen } = document;
        if (landed && isOpen) void showDocument(this.context.editor, uri, positionAt(now, writingPlace(now)));
      }),
    );
  }

  /** The editor has opened DOCUMENT. One with nothing in it gets its heading; one of another session offers to resume it. */
  opened(document: ChatDocument): void {
    const { messages, chats, sessions } = this.context;
    if (document.text.trim() === "") document.writer.do(heading());
    if (sessions.isOlder(document) && chats.target !== document)
      messages.show("info", "Of an earlier session: “pi: resume this session” opens it.");
  }
}
