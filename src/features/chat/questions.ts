import type { CancellationToken } from "vscode-jsonrpc";
import type { ChatDocument } from "./documents.ts";
import { amend, below, clear, take } from "./jobs.ts";
import { promptOf } from "./layout.ts";
import { clean, fenced, firstLine } from "./words.ts";

/** What pi, or a command of this server, wants to know from the person. */
export interface Question {
  title: string;
  message?: string;
  /** Each with the answer that it stands for. None: the answer is a text. */
  choices: { title: string; answer: unknown }[];
  /** What a text begins with. */
  prefill?: string;
  /** The answer that a refusal stands for, and what it is called. */
  refusal: { title: string; answer: unknown };
  answerOf(text: string): unknown;
}

export interface OpenQuestion extends Question {
  /** `q1`. */
  name: string;
  document: ChatDocument;
}

const CHOOSE = "> *Answer by a code action.*";
export const CLOSED = "That question is closed.";
const WRITE = "> *Write the answer below, and send it.*";

interface Book {
  question: OpenQuestion;
  /** What the person was writing when the question came: it was not meant as an answer. */
  draft: string;
  /** What the person has been told that it would be answered with. */
  told: string | undefined;
  answer(answer: unknown, words: string): void;
}

/** The questions that are open in chat documents. */
export class Questions {
  private readonly books: Book[] = [];
  private readonly changed: (document: ChatDocument) => void;
  private count = 0;

  constructor(changed: (document: ChatDocument) => void) {
    this.changed = changed;
  }

  get open(): OpenQuestion[] {
    return this.books.map(({ question }) => question);
  }

  /** Writes the question into DOCUMENT. RESOLVE gets the answer; when TOKEN is cancelled first, it is closed. */
  ask(question: Question, document: ChatDocument, token: CancellationToken, resolve: (answer: unknown) => void): void {
    this.count += 1;
    const open: OpenQuestion = { ...question, name: `q${this.count}`, document };
    /** Its block says from then on, in WORDS, what has become of it, and no more how to answer. */
    const close = (words: string) => {
      const at = this.books.findIndex((entry) => entry.question === open);
      if (at === -1) return false;
      this.books.splice(at, 1);
      const done = (isAmended: boolean) => {
        if (!isAmended) document.append(document.transcript.paragraph(words));
      };
      document.writer.do(amend(questionLine(open), howTo(open), words, done));
      this.changed(document);
      return true;
    };
    this.books.push({
      question: open,
      draft: promptOf(document.text),
      told: undefined,
      answer: (answer, words) => {
        if (close(words)) resolve(answer);
      },
    });
    token.onCancellationRequested(() => close(`> *${open.name} is closed.*`));
    document.append(document.transcript.paragraph(block(open)));
    this.changed(document);
  }

  /** @returns false when there is no such question, or no such answer, any more */
  answer(name: string, title: string): boolean {
    const entry = this.books.find(({ question }) => question.name === name);
    const choice = entry && [entry.question.refusal, ...entry.question.choices].find((one) => one.title === title);
    if (!entry || !choice) return false;
    entry.answer(choice.answer, `> You answered ${name}: **${clean(choice.title)}**`);
    return true;
  }

  /**
   * Answers the open question for a text with the prompt of DOCUMENT, which moves up. CHOSEN: the name of the question, where
   * the person has chosen to answer it.
   * @returns what the person is to be told, where it is not sure that an answer was meant: the next time it is one
   */
  answerWithPrompt(document: ChatDocument, chosen: string | undefined): string | undefined {
    const isMeant = ({ name, choices }: OpenQuestion) => choices.length === 0 && (chosen ?? name) === name;
    const entry = this.books.find(({ question }) => isMeant(question));
    if (!entry) return CLOSED;
    const { name } = entry.question;
    const prompt = promptOf(document.text);
    const isHere = document === entry.question.document;
    const isDraft = !isHere || (entry.draft !== "" && prompt.startsWith(entry.draft));
    const words = prompt === "" ? "nothing" : "what you wrote";
    if (chosen === undefined && entry.told !== words && (prompt === "" || isDraft)) {
      entry.told = words;
      return `Send again to answer ${name} with ${words}.`;
    }
    if (prompt === "") {
      entry.answer(entry.question.answerOf(""), `> You answered ${name} with nothing.`);
      return undefined;
    }
    const done = (text: string | undefined) => {
      if (text === undefined) return;
      // It was closed when the text was on its way.
      if (!isWanted()) return document.writer.do(below(text));
      entry.answer(entry.question.answerOf(text), isHere ? "> *Answered below.*" : "> *Answered.*");
    };
    const isWanted = () => this.books.includes(entry);
    const asked = { prompt, isWanted, done };
    const quote = (text: string) =>
      document.transcript.paragraph(`> You answered ${name}:\n>\n> ${text.replaceAll("\n", "\n> ")}`);
    document.writer.do(isHere ? take(asked, quote) : clear(asked));
    return undefined;
  }
}

/** The line that says how QUESTION is answered. */
function howTo({ choices }: Question): string {
  return choices.length > 0 ? CHOOSE : WRITE;
}

/** The line that a question begins with. */
export function questionLine({ name, title }: OpenQuestion): string {
  return `> **pi asks (${name}): ${firstLine(title, 200)}**`;
}

function block(question: OpenQuestion): string {
  const { message = "", choices, refusal, prefill = "" } = question;
  const lines = [questionLine(question)];
  if (message.trim() !== "")
    lines.push(
      ">",
      ...clean(message)
        .trim()
        .split("\n")
        .map((line) => `> ${line}`),
    );
  lines.push(">");
  if (choices.length > 0) {
    lines.push(...[refusal, ...choices].map(({ title }, at) => `> ${at + 1}. ${clean(title)}`), ">", howTo(question));
  } else {
    lines.push(howTo(question));
    if (prefill.trim() !== "" && promptOf(question.document.text) !== "")
      lines.push(
        ">",
        ...fenced(prefill, "", 100)
          .split("\n")
          .map((line) => `> ${line}`),
      );
  }
  return lines.join("\n");
}
