import { activity } from "../../bridge/activity.ts";
import type { PiError } from "../../pi/error.ts";
import { parseRecord } from "../../pi/record.ts";
import type { Supervisor } from "../../pi/supervisor.ts";
import { codes } from "../../protocol/codes.ts";
import type { Messages } from "../messages.ts";
import type { DocumentSessions } from "./document-sessions.ts";
import type { ChatDocument, ChatDocuments } from "./documents.ts";
import { below, clear, heading, take } from "./jobs.ts";
import { isHeadingLost, PI, promptHeading, promptOf } from "./layout.ts";
import { problem } from "./transcript.ts";
import { withHint } from "./words.ts";

export interface ConversationContext {
  pi: Supervisor;
  documents: ChatDocuments;
  sessions: DocumentSessions;
  messages: Messages;
  /** Any method of this server, as an editor would call it. */
  ask(method: string, params: object): Promise<unknown>;
}

const STOPPED = "*Stopped before it was sent.*";

/** pi's conversation as the chat documents show it: what they send, and what comes back. */
export class Conversation {
  /** What the agent does, in a few words; undefined while it is idle. */
  doing: string | undefined;
  private readonly pi: Supervisor;
  private readonly documents: ChatDocuments;
  private readonly sessions: DocumentSessions;
  private readonly messages: Messages;
  private readonly ask: ConversationContext["ask"];
  /** Prompts that stand in the transcript, and that pi will repeat. */
  private shown = 0;
  /** A prompt is on its way to pi. */
  private isSending = false;
  private isRunning = false;
  /** How often the person has stopped everything: what was asked for before does not go any more. */
  private stops = 0;

  constructor({ pi, documents, sessions, messages, ask }: ConversationContext) {
    this.pi = pi;
    this.documents = documents;
    this.sessions = sessions;
    this.messages = messages;
    this.ask = ask;
  }

  get isBusy(): boolean {
    return this.isSending || this.isRunning || this.pi.status.activity !== "idle";
  }

  /** Sends the prompt of DOCUMENT. While the agent runs, it gets it after the current turn (`steer`) or at the end. */
  async send(document: ChatDocument, how: "steer" | "followUp" = "steer"): Promise<void> {
    if (promptOf(document.text) === "") {
      const has = promptHeading(document.text);
      if (!has && document.text.includes(PI)) document.writer.do(heading());
      return this.messages.show("info", "Nothing to send: write below the last heading “You”.");
    }
    if (isHeadingLost(document.text))
      return this.messages.show("warning", "“## You” is missing above what you have written.");
    if (this.isBusy) return this.queue(document, how);
    const asked = this.asked(document);
    this.isSending = true;
    await this.sessions.adopt(document);
    if (this.sessions.isShared(document))
      this.messages.show("info", "It goes on in pi's session; pi.pick.session begins one.");
    this.documents.target = document;
    const { writer, transcript } = document;
    writer.keep();
    const done = (prompt: string | undefined) => {
      // What the transcript does not show was not sent either.
      if (prompt !== undefined && asked.isWanted()) return void this.prompt(document, prompt);
      if (prompt !== undefined) return this.unsent(document, STOPPED);
      this.isSending = false;
      writer.release();
    };
    writer.do(take({ ...asked, done }, (prompt) => transcript.turn(prompt)));
  }

  /** Sends MESSAGE, which is not typed in a chat, and shows it in DOCUMENT. */
  async say(document: ChatDocument, message: string): Promise<void> {
    if (this.isBusy) return this.deliver(document, message, "steer");
    this.isSending = true;
    await this.sessions.adopt(document);
    this.documents.target = document;
    document.writer.keep();
    document.append(document.transcript.turn(message));
    await this.prompt(document, message);
  }

  /** Stops the run. What still waits in pi's queue comes back below the heading. */
  async abort(): Promise<void> {
    this.stops += 1;
    if (this.pi.state.is !== "ready" && this.pi.state.is !== "starting") return;
    const document = this.documents.current;
    const clear = async () => {
      const queue = await this.ask("pi/clear_queue", {}).catch(() => undefined);
      const { steering = [], followUp = [] } = Object(queue) as { steering?: string[]; followUp?: string[] };
      this.putBack(document, [...steering, ...followUp]);
    };
    // Both are on their way at once: a pi that hangs must not keep the second one back.
    const cleared = clear();
    await this.ask("pi/abort", {}).catch((error) => this.messages.log("warning", String(error.message)));
    await cleared;
    // What pi was still taking in when it was asked first.
    await clear();
  }

  /** An event of pi's. */
  record(type: string, line: Buffer): void {
    if (type === "agent_start") {
      this.isRunning = true;
      this.isSending = false;
      this.documents.target = this.documents.target ?? this.documents.current;
      this.documents.target?.writer.keep();
    }
    const document = this.documents.target;
    if (document && type !== "tool_execution_update") {
      const record = parseRecord(line);
      if (record) this.show(document, type, record);
    }
    if (type === "agent_settled") this.settled(document);
  }

  /** The run has ended though pi did not say so: it is idle after all, or gone (`error`). */
  ended(error: PiError | undefined): void {
    const { target: document } = this.documents;
    const { steering = [], followUp = [] } = this.pi.status.lost ?? {};
    if (error && this.isRunning) {
      document?.append(document.transcript.paragraph(problem(error.message)));
      this.putBack(document, [...steering, ...followUp]);
    }
    this.shown = 0;
    this.settled(document);
  }

  private show(document: ChatDocument, type: string, record: Record<string, unknown>): void {
    this.doing = activity(type, record) ?? this.doing;
    const { message } = record as { message?: { role?: unknown; content?: unknown } };
    if (type === "message_start" && message?.role === "user") {
      if (this.shown > 0) this.shown -= 1;
      else document.writer.turn(document.transcript.turn(textOf(message)));
    }
    document.append(document.transcript.record(type, record));
  }

  private settled(document: ChatDocument | undefined): void {
    this.isRunning = false;
    this.isSending = false;
    this.doing = undefined;
    if (!document) return;
    // As long as the run is not over, what it has said goes into its own place in the file, or nowhere.
    const isWritten = document.writeFile();
    this.sessions.note(document);
    document.writer.release();
    if (isWritten) document.writeFile();
  }

  private async prompt(document: ChatDocument, message: string): Promise<void> {
    this.shown += 1;
    const words = await this.outcome(message);
    if (words === undefined) return;
    this.shown = Math.max(0, this.shown - 1);
    this.unsent(document, words);
  }

  /** @returns what is to be told where no run follows from MESSAGE */
  private async outcome(message: string): Promise<string | undefined> {
    try {
      // It may run by now after all, because of somebody else.
      const data = await this.ask("pi/prompt", { message, streamingBehavior: "steer" });
      const { disposition } = Object(data) as { disposition?: unknown };
      if (disposition === "started" || disposition === "queued" || this.isRunning) return undefined;
      return disposition === undefined && (await this.starts()) ? undefined : "*Done.*";
    } catch (error) {
      return isStopped(error) ? STOPPED : problem(withHint(error));
    }
  }

  /** The prompt stands in the transcript, and no run follows from it. */
  private unsent(document: ChatDocument, words: string): void {
    document.append(document.transcript.paragraph(words));
    this.isSending = false;
    document.writeFile();
    if (!this.isRunning) document.writer.release();
  }

  /** An old pi does not say whether a prompt starts a run. It does so within two answers, or not at all. */
  private async starts(): Promise<boolean> {
    return this.isRunning || (await this.pi.isRunning()) || (await this.pi.isRunning()) || this.isRunning;
  }

  private queue(document: ChatDocument, how: "steer" | "followUp"): void {
    const asked = this.asked(document);
    const done = (prompt: string | undefined) => {
      if (prompt === undefined) return;
      if (!asked.isWanted()) return this.putBack(document, [prompt]);
      const { target } = this.documents;
      if (target && target !== document) this.messages.show("info", `It goes to ${target.name}, where pi works.`);
      void this.deliver(document, prompt, how);
    };
    document.writer.do(clear({ ...asked, done }));
  }

  /** The prompt as it is now. It goes unless the person stops everything before it is on its way. */
  private asked({ text }: ChatDocument): { prompt: string; isWanted(): boolean } {
    const { stops } = this;
    return { prompt: promptOf(text), isWanted: () => this.stops === stops };
  }

  private async deliver(document: ChatDocument, message: string, how: "steer" | "followUp"): Promise<void> {
    try {
      await this.ask("pi/prompt", { message, streamingBehavior: how });
    } catch (error) {
      // What pi had and lost comes back with the rest of its queue.
      if ((Object(error) as { data?: { kind?: unknown } }).data?.kind === "exited") return;
      if (!isStopped(error)) this.messages.show("warning", withHint(error));
      this.putBack(document, [message]);
    }
  }

  private putBack(document: ChatDocument | undefined, texts: readonly string[]): void {
    if (texts.length === 0) return;
    if (document) document.writer.do(below(texts.join("\n\n")));
    else this.messages.log("warning", `Taken out of pi's queue: ${texts.join("\n\n")}`);
  }
}

function isStopped(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === codes.RequestCancelled;
}

function textOf({ content }: { content?: unknown }): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  return blocks.map(({ type, text }) => (type === "text" ? String(text) : `[${type}]`)).join("\n");
}
