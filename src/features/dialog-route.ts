import { setTimeout as sleep } from "node:timers/promises";
import { type CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import type { DialogRoute } from "../bridge/dialogs.ts";
import type { DialogName } from "../protocol/ui.ts";
import type { Question } from "./chat/questions.ts";
import type { MessageRequests } from "./message-request.ts";

/** How long an editor that has been asked may be silent before the question goes into the chat as well. */
const SECOND_ROUTE_MS = 15_000;
/** eglot waits for the answer to a command, and drops a prompt that comes before it or together with it. */
const ANSWER_FIRST_MS = 100;

export interface ChatRoute {
  /** A person has a chat in front of them. */
  isOpen(): boolean;
  /** The dialogs of pi may be shown at all. */
  mayShow(): boolean;
  /** Writes QUESTION into the chat, opening one if need be, until TOKEN is cancelled. */
  ask(question: Question, token: CancellationToken, resolve: (answer: unknown) => void): void;
}

/**
 * Takes pi's dialogs to a person whose editor knows only LSP: into the open chat, where answers are code actions; else by
 * `window/showMessageRequest`, and into the chat when that brings no answer. The first answer wins, the other way closes.
 */
export class StandardRoute implements DialogRoute {
  private readonly messages: MessageRequests;
  private readonly chat: ChatRoute;
  private readonly secondRouteMs: number;

  constructor(messages: MessageRequests, chat: ChatRoute, secondRouteMs = SECOND_ROUTE_MS) {
    this.messages = messages;
    this.chat = chat;
    this.secondRouteMs = secondRouteMs;
  }

  show({ method, record }: Parameters<DialogRoute["show"]>[0], token: CancellationToken): Promise<unknown> | undefined {
    if (!this.chat.isOpen() && !this.chat.mayShow()) return undefined;
    return this.ask(questionOf(method, record), token, { isAskedFor: false });
  }

  /**
   * Asks on behalf of a command of the person's own.
   * @returns the index of the chosen title; undefined when none was chosen
   */
  async choose(title: string, titles: readonly string[]): Promise<number | undefined> {
    const refusal = { title: "Cancel", answer: undefined };
    const choices = titles.map((choice, answer) => ({ title: choice, answer }));
    const source = new CancellationTokenSource();
    await sleep(ANSWER_FIRST_MS);
    const question: Question = { title, choices, refusal, answerOf: () => undefined };
    return (await this.ask(question, source.token, { isAskedFor: true })) as number | undefined;
  }

  private ask(question: Question, token: CancellationToken, how: { isAskedFor: boolean }): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const closing = new CancellationTokenSource();
    let timer: NodeJS.Timeout | undefined;
    let isInChat = false;
    const close = () => {
      clearTimeout(timer);
      closing.cancel();
    };
    const inChat = () => {
      if (isInChat || closing.token.isCancellationRequested) return;
      isInChat = true;
      this.chat.ask(question, closing.token, resolve);
    };
    token.onCancellationRequested(close);
    void promise.then(close);
    const { choices, refusal } = question;
    // A prompt that pops up takes the keys of whoever types in the chat; one that was asked for does not surprise.
    const isQuiet = this.chat.isOpen() && !how.isAskedFor;
    if (choices.length === 0 || isQuiet || this.messages.isUnsupported) inChat();
    else {
      timer = setTimeout(inChat, this.secondRouteMs);
      const text = [question.title, question.message ?? ""].join("\n").trim();
      const titles = [refusal, ...choices].map(({ title }) => title);
      void this.messages.ask(text, titles, closing.token).then((title) => {
        const choice = [refusal, ...choices].find((one) => one.title === title);
        if (choice) resolve(choice.answer);
        else if (this.messages.isUnsupported) inChat();
        else if (how.isAskedFor) resolve(undefined);
      });
    }
    return promise;
  }
}

function questionOf(method: DialogName, record: Record<string, unknown>): Question {
  const text = (key: string) => (typeof record[key] === "string" ? (record[key] as string) : undefined);
  const title = text("title") ?? "pi asks";
  const value = (answer: string) => ({ value: answer });
  const refusal = { title: "Cancel", answer: { cancelled: true } };
  if (method === "confirm") {
    const choices = [{ title: "Yes", answer: { confirmed: true } }];
    return {
      title,
      message: text("message") ?? "",
      choices,
      refusal: { title: "No", answer: { confirmed: false } },
      answerOf: value,
    };
  }
  if (method === "select") {
    const options = Array.isArray(record.options) ? record.options.map(String) : [];
    const choices = options.map((option) => ({ title: option, answer: value(option) }));
    // An option of that name is the person's answer, and no refusal.
    const name = options.includes(refusal.title) ? "Cancel (no answer)" : refusal.title;
    return { title, choices, refusal: { ...refusal, title: name }, answerOf: value };
  }
  const prefill = text("prefill");
  const placeholder = text("placeholder");
  return {
    title,
    ...(placeholder !== undefined && { message: `For example: ${placeholder}` }),
    ...(prefill !== undefined && { prefill }),
    choices: [],
    refusal,
    answerOf: value,
  };
}
