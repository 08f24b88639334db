import type {
  Diagnostic,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Position,
} from "vscode-languageserver-protocol";
import type { Supervisor } from "../../pi/supervisor.ts";
import { offsetAt, positionAt, rangeOf } from "./changes.ts";
import type { ChatDocument } from "./documents.ts";
import { promptHeading, turns } from "./layout.ts";
import { type OpenQuestion, questionLine } from "./questions.ts";

// The numbers themselves: loading the constants would cost more than a third of the start.
const STRING_SYMBOL = 15;
const INFORMATION = 3;

/** The turns, each with its first line. */
export function symbols({ text }: ChatDocument): DocumentSymbol[] {
  return turns(text).map(({ of, start, end, title }) => {
    const lineEnd = text.indexOf("\n", start);
    return {
      name: `${of === "you" ? "You" : "pi"}: ${title === "" ? "…" : title}`,
      kind: STRING_SYMBOL,
      range: rangeOf(text, { start, end: Math.max(start, end) }),
      selectionRange: rangeOf(text, { start, end: lineEnd === -1 ? text.length : lineEnd }),
    };
  });
}

/** Turns, and fenced blocks. Not the prompt: it is written while all else is folded. */
export function folds({ text }: ChatDocument): FoldingRange[] {
  const lastLine = positionAt(text, text.length).line;
  const prompt = promptHeading(text)?.start;
  const ranges = turns(text).flatMap(({ start, end }) => {
    const endLine = end === text.length ? lastLine : positionAt(text, end).line - 1;
    return start === prompt ? [] : { startLine: positionAt(text, start).line, endLine };
  });
  let open: { line: number; fence: string } | undefined;
  text.split("\n").forEach((line, at) => {
    const fence = /^\s*(`{3,})/.exec(line)?.[1];
    if (fence === undefined) return;
    if (!open) open = { line: at, fence };
    else if (fence.length >= open.fence.length) {
      ranges.push({ startLine: open.line, endLine: at });
      open = undefined;
    }
  });
  return ranges.filter(({ startLine, endLine }) => endLine > startLine);
}

/** The whole of the tool call, or of the thinking, that the line tells of. */
export function hover({ text, transcript }: ChatDocument, position: Position): Hover | null {
  const start = offsetAt(text, { line: position.line, character: 0 });
  const value = transcript.detailsOf(text.slice(start).split(/\r?\n/, 1)[0] ?? "");
  return value === undefined ? null : { contents: { kind: "markdown", value } };
}

/** What the agent does, its model and how full its context is. */
export function statusText(pi: Supervisor, doing: string | undefined): string {
  const { activity, queue } = pi.status;
  const waiting = queue.steering.length + queue.followUp.length;
  const now =
    pi.state.is === "starting"
      ? "pi is starting"
      : pi.state.is === "failed"
        ? "pi cannot be started"
        : activity === "idle"
          ? "idle"
          : `● ${doing ?? activity}`;
  return [now, ...(waiting > 0 ? [`${waiting} waiting`] : []), ...lasting(pi)].join(" · ");
}

/** The same without what it does: for an editor that would go on showing that when it is over. */
export function lastingText(pi: Supervisor): string {
  return lasting(pi).join(" · ");
}

function lasting({ status: { model, usage } }: Supervisor): string[] {
  const full = typeof usage?.percent === "number" ? [`${Math.round(usage.percent)} % context`] : [];
  return [...(model ? [model.id] : []), ...full];
}

export function hints({ text }: ChatDocument, label: string): InlayHint[] {
  const heading = promptHeading(text);
  return heading && label !== ""
    ? [{ position: positionAt(text, heading.end), label: ` ${label}`, paddingLeft: true }]
    : [];
}

/** A pointer to each open question. */
export function diagnostics(document: ChatDocument, questions: readonly OpenQuestion[]): Diagnostic[] {
  return questions.flatMap((question) => {
    const line = questionLine(question);
    const start = document.text.lastIndexOf(line);
    if (question.document !== document || start === -1) return [];
    const range = rangeOf(document.text, { start, end: start + line.length });
    const how =
      question.choices.length > 0 ? "The answers are code actions." : "Write it below the last heading, and send it.";
    return [{ range, severity: INFORMATION, source: "pi", message: `pi waits for an answer. ${how}` }];
  });
}
