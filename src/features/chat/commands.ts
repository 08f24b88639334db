import type { Messages } from "../messages.ts";
import type { Conversation } from "./conversation.ts";
import type { DocumentSessions } from "./document-sessions.ts";
import type { ChatDocument, ChatDocuments } from "./documents.ts";
import type { Opening } from "./opening.ts";
import { CLOSED, type Questions } from "./questions.ts";
import { withHint } from "./words.ts";

export interface ChatCommandsContext {
  chats: ChatDocuments;
  opening: Opening;
  sessions: DocumentSessions;
  conversation: Conversation;
  questions: Questions;
  messages: Messages;
}

type Command = (args: unknown[]) => Promise<unknown> | undefined;

const WAITS = "pi waits for an answer: choose one of the code actions.";

/** What a person may do in a chat, by the name of the command. */
export class ChatCommands {
  private readonly context: ChatCommandsContext;

  constructor(context: ChatCommandsContext) {
    this.context = context;
  }

  /** All of them, and OTHERS. Each returns at once; who has called it is told when it fails. */
  named(others: Record<string, Command>): Record<string, (args: unknown[]) => void> {
    const { opening, sessions, conversation, messages } = this.context;
    const commands: Record<string, Command> = {
      "pi.chat.open": () => opening.open(),
      "pi.chat.send": ([uri, question]) => this.withChat(uri, (document) => this.send(document, nameOf(question))),
      "pi.chat.follow_up": ([uri]) => this.withChat(uri, (document) => conversation.send(document, "followUp")),
      "pi.chat.abort": () => conversation.abort(),
      "pi.chat.rebuild": ([uri]) => this.whenIdle(uri, (document) => sessions.rebuild(document)),
      "pi.chat.resume": ([uri]) => this.whenIdle(uri, (document) => sessions.resume(document)),
      "pi.chat.answer": (args) => this.answer(args),
      ...others,
    };
    const attempt = (run: Command) => (args: unknown[]) => {
      run(args)?.catch((error) => messages.show("warning", withHint(error)));
    };
    return Object.fromEntries(Object.entries(commands).map(([name, run]) => [name, attempt(run)]));
  }

  /** QUESTION: the one that is to be answered, where the person has chosen that. */
  private async send(document: ChatDocument, question: string | undefined): Promise<void> {
    const { questions, messages, conversation } = this.context;
    const { open } = questions;
    if (question !== undefined || open.some(({ choices }) => choices.length === 0)) {
      const told = questions.answerWithPrompt(document, question);
      if (told !== undefined) messages.show("warning", told);
      return;
    }
    if (open.length > 0) return messages.show("warning", WAITS);
    await conversation.send(document);
  }

  private answer([name, title]: unknown[]): undefined {
    const { questions, messages } = this.context;
    if (questions.answer(String(name), String(title))) return;
    messages.show("info", questions.open.length > 0 ? WAITS : CLOSED);
  }

  /** The chat that an argument names, else the one that is open, else a new one, which is then just shown. */
  private async withChat(uri: unknown, run: (document: ChatDocument) => Promise<void>): Promise<void> {
    const { chats, opening } = this.context;
    const document = (typeof uri === "string" ? chats.get(uri) : undefined) ?? chats.current;
    if (document) await run(document);
    else await opening.open();
  }

  private whenIdle(uri: unknown, run: (document: ChatDocument) => Promise<void>): Promise<void> {
    const { conversation, messages } = this.context;
    return this.withChat(uri, async (document) => {
      if (!conversation.isBusy) return run(document);
      messages.show("info", "That can be done when pi is idle.");
    });
  }
}

function nameOf(question: unknown): string | undefined {
  return question === undefined || question === null ? undefined : String(question);
}
