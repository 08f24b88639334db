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

/** Turns, and fenced blocks. */
export function folds({ text }: ChatDocument): FoldingRange[] {
  const lastLine = positionAt(text, text.length).line;
  const ranges = turns(text).map(({ start, end }) => {
    const endLine = end === text.length ? lastLine : positionAt(text, end).line - 1;
    return { startLine: positionAt(text, start).line, endLine };
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
  const { activity, model, usage, queue } = pi.status;
  const waiting = queue.steering.length + queue.followUp.length;
  const now =
    pi.state.is === "starting"
      ? "pi is starting"
      : pi.state.is === "failed"
        ? "pi cannot be started"
        : activity === "idle"
          ? "idle"
          : `● ${doing ?? activity}`;
  const parts = [now];
  if (waiting > 0) parts.push(`${waiting} waiting`);
  if (model) parts.push(model.id);
  if (typeof usage?.percent === "number") parts.push(`${Math.round(usage.percent)} % context`);
  return parts.join(" · ");
}

export function hints({ text }: ChatDocument, label: string): InlayHint[] {
  const heading = promptHeading(text);
  return heading ? [{ position: positionAt(text, heading.end), label: ` ${label}`, paddingLeft: true }] : [];
}

/** A pointer to each open question. */
export function diagnostics(document: ChatDocument, questions: readonly OpenQuestion[]): Diagnostic[] {
  return questions.flatMap((question) => {
    const line = questionLine(question);
    const start = document.text.lastIndexOf(line);
    if (question.document !== document || start === -1) return [];
    const range = rangeOf(document.text, { start, end: start + line.length });
    return [
      { range, severity: INFORMATION, source: "pi", message: "pi waits for an answer. The answers are code actions." },
    ];
  });
}
