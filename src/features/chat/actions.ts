import type { CodeAction, CodeActionContext, CodeLens, Command } from "vscode-languageserver-protocol";
import { rangeOf } from "./changes.ts";
import type { ChatDocument } from "./documents.ts";
import { promptHeading, promptOf } from "./layout.ts";
import type { OpenQuestion } from "./questions.ts";

/** What a key may be bound to: these are the only actions of this kind in a chat document. */
export const SEND_KIND = "quickfix";
export const OTHER_KIND = "refactor";

const RESUME = "pi.chat.resume";

export interface ChatState {
  isBusy: boolean;
  /** The document is of another session than pi has open. */
  isOlder: boolean;
  questions: readonly OpenQuestion[];
}

/** What can be done in a chat document. While a question is open, its answers and nothing else, the refusal first. */
export function chatActions(document: ChatDocument, { isBusy, isOlder, questions }: ChatState): CodeAction[] {
  if (questions.length > 0) return questions.flatMap((question) => answersOf(question, document.uri));
  const action = (title: string, command: string, kind = OTHER_KIND) => actionOf(title, kind, command, [document.uri]);
  const actions = [action("Send to pi", "pi.chat.send", SEND_KIND)];
  if (isBusy) {
    if (promptOf(document.text) !== "") actions.push(action("pi: send when it is done", "pi.chat.follow_up"));
    actions.push(action("pi: stop", "pi.chat.abort"));
  } else {
    if (isOlder) actions.push(action("pi: resume this session", RESUME));
    actions.push(action("pi: rebuild the transcript", "pi.chat.rebuild"));
  }
  return actions;
}

function answersOf({ name, refusal, choices }: OpenQuestion, uri: string): CodeAction[] {
  const answer = (title: string) =>
    actionOf(`pi: answer ${name}: ${title}`, SEND_KIND, "pi.chat.answer", [name, title]);
  if (choices.length > 0) return [refusal, ...choices].map(({ title }) => answer(title));
  return [
    answer(refusal.title),
    actionOf(`pi: answer ${name} with the text below`, SEND_KIND, "pi.chat.send", [uri, name]),
  ];
}

export function actionOf(title: string, kind: string, command: string, args: unknown[]): CodeAction {
  return { title, kind, command: { title, command, arguments: args } };
}

/** The actions of the kinds that the client asks for. */
export function ofKind(actions: CodeAction[], { only }: Partial<CodeActionContext>): CodeAction[] {
  if (!Array.isArray(only) || only.length === 0) return actions;
  return actions.filter(({ kind = "" }) =>
    only.some((one) => one === "" || kind === one || kind.startsWith(`${one}.`)),
  );
}

/** The same at the heading, where an editor shows such things. */
export function chatLenses(document: ChatDocument, state: ChatState): CodeLens[] {
  const heading = promptHeading(document.text);
  if (!heading) return [];
  const range = rangeOf(document.text, heading);
  return chatActions(document, state).flatMap(({ command, kind }) =>
    kind === SEND_KIND || state.isBusy || command?.command === RESUME
      ? [{ range, command: lensOf(command as Command) }]
      : [],
  );
}

function lensOf(command: Command): Command {
  return command.command === "pi.chat.send" ? { ...command, title: `▶ ${command.title}` } : command;
}
