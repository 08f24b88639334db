import type { Supervisor } from "../../pi/supervisor.ts";
import type { Messages } from "../messages.ts";
import type { ChatDocument, ChatDocuments } from "./documents.ts";
import { rebuild, session } from "./jobs.ts";
import { sessionOf } from "./layout.ts";
import { Transcript } from "./transcript.ts";
import { withHint } from "./words.ts";

export interface DocumentSessionsContext {
  pi: Supervisor;
  documents: ChatDocuments;
  messages: Messages;
  /** Any method of this server, as an editor would call it. */
  ask(method: string, params: object): Promise<unknown>;
}

/** Which session of pi's each chat document is the transcript of. */
export class DocumentSessions {
  private readonly context: DocumentSessionsContext;
  /** The session that pi had open when it was last looked at. */
  private current: string | undefined;

  constructor(context: DocumentSessionsContext) {
    this.context = context;
  }

  /** The document is of another session than the one that pi has open. */
  isOlder(document: ChatDocument): boolean {
    const id = idOf(document);
    return id !== undefined && id !== this.context.pi.status.session?.id;
  }

  /** The document is new, and another chat is the transcript of the session that is open. */
  isShared(document: ChatDocument): boolean {
    const { target } = this.context.documents;
    const open = this.context.pi.status.session?.id;
    const isOthers = target !== undefined && target !== document && sessionOf(target.text) === open;
    return isOthers && open !== undefined && idOf(document) === undefined;
  }

  /** Notes in DOCUMENT that it is of the session that is open. */
  note(document: ChatDocument): void {
    const { session: open } = this.context.pi.status;
    // One that pi keeps in memory only cannot be opened again.
    if (open?.file === undefined) return;
    document.session = open.id;
    document.writer.do(session(open.id));
  }

  /** The state may be another one. A session that the person has replaced is the document's now. */
  stateChanged(): void {
    const id = this.context.pi.status.session?.id;
    const { target } = this.context.documents;
    if (id === this.current) return;
    if (target && this.current !== undefined && target.session === this.current) target.session = id;
    this.current = id;
  }

  /** Opens the session of DOCUMENT, when pi has another one open. @returns whether it is open now */
  async adopt(document: ChatDocument): Promise<boolean> {
    const { pi, messages, ask } = this.context;
    if (!this.isOlder(document)) return idOf(document) !== undefined;
    const before = pi.status.session;
    try {
      await ask("bridge/resume", { id: idOf(document) });
      document.session = idOf(document);
      if (before) messages.show("info", "pi has left its session for the one of this chat.");
      return true;
    } catch (error) {
      messages.show("warning", `The session of this chat cannot be resumed, pi goes on without it: ${withHint(error)}`);
      document.session = undefined;
      return false;
    }
  }

  /** The same, for a person who asks for it. */
  async resume(document: ChatDocument): Promise<void> {
    const { messages } = this.context;
    if (idOf(document) === undefined)
      return messages.show("info", "This chat has no session yet: it begins one with the first prompt.");
    if (await this.adopt(document)) messages.show("info", "pi has this chat's session open.");
  }

  /** Writes the transcript anew, from pi's session. */
  async rebuild(document: ChatDocument): Promise<void> {
    const { pi, messages, ask } = this.context;
    await this.adopt(document);
    const history = (await ask("bridge/history", { limit: 100_000 })) as { messages: { message: unknown }[] };
    if (history.messages.length === 0)
      return messages.show("warning", "pi's session is empty: the transcript is left as it is.");
    const transcript = new Transcript();
    const id = pi.status.session?.id;
    const title = /^# .*/.exec(document.text)?.[0] ?? "# pi";
    const header = id === undefined ? title : `${title}\n<!-- pi session: ${id} -->`;
    const text = header + transcript.history(history.messages.map(({ message }) => message));
    document.session = id;
    document.writer.do(
      rebuild(text, (landed) => {
        if (landed) document.transcript = transcript;
      }),
    );
  }
}

function idOf(document: ChatDocument): string | undefined {
  return document.session ?? sessionOf(document.text);
}
