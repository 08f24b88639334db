import type { TextDocumentContentChangeEvent, TextEdit } from "vscode-languageserver-protocol";
import { rangeOf } from "../../src/features/chat/changes.ts";
import { mannerOf } from "../../src/features/chat/clients.ts";
import { session, take } from "../../src/features/chat/jobs.ts";
import { promptOf } from "../../src/features/chat/layout.ts";
import { Writer } from "../../src/features/chat/writer.ts";
import { SimulatedClock } from "./simulated-editor.ts";

/** What passed between a real editor and this server about one chat document, in order. */
export type Step =
  | { opened: { client: string; text: string; version: number } }
  | { sent: TextEdit[] }
  | { replied: boolean }
  | { changed: { version: number; changes: TextDocumentContentChangeEvent[] } };

const SESSION = /pi session: (\S+) -->/;

/**
 * Has a writer write the same into what the editor told: it gets each piece of the answer when the server sent it.
 *
 * @returns the edits that it sends, beside those of the recording; the text in the end; and whether nothing is left to do
 */
export function replay(steps: readonly Step[]): {
  sent: TextEdit[][];
  text: string;
  trouble: string[];
  isIdle: boolean;
} {
  const clock = new SimulatedClock();
  const sent: { id: number; edits: TextEdit[] }[] = [];
  const trouble: string[] = [];
  let writer: Writer | undefined;
  /** What the editor has refused, and the writer sends again before all else. */
  let refused = "";
  let gapMs = 0;
  for (const step of steps) {
    if ("opened" in step) {
      const { client, text, version } = step.opened;
      const manner = mannerOf(client);
      gapMs = manner.gapMs;
      writer = new Writer(
        manner,
        {
          send: (id, edits, before) =>
            sent.push({ id, edits: edits.map((edit) => ({ range: rangeOf(before, edit), newText: edit.text })) }),
          trouble: (what) => trouble.push(what),
        },
        clock,
      );
      writer.opened(text, version);
      writer.keep();
    } else if (writer && "changed" in step) writer.changed(step.changed.changes, step.changed.version);
    else if (writer && "replied" in step) {
      const last = sent.at(-1);
      writer.replied(last?.id ?? 0, step.replied);
      refused = step.replied ? "" : chunkOf(last?.edits);
    } else if (writer && "sent" in step) {
      const [first] = step.sent;
      const id = SESSION.exec(first?.newText ?? "")?.[1];
      // The prompt moves up by two edits, and the session's line is one by itself. All else is the answer.
      if (step.sent.length === 2) {
        if (refused === "")
          writer.do(
            take({ prompt: promptOf(writer.text), done: () => {} }, (prompt) => `\n\n## You\n\n${prompt}\n\n## pi\n\n`),
          );
      } else if (id !== undefined) writer.do(session(id));
      else writer.append(chunkOf(step.sent).slice(refused.length));
      refused = "";
      // Nothing is sent before that has passed, and what is appended later is another edit.
      clock.pass(gapMs);
    }
  }
  return { sent: sent.map(({ edits }) => edits), text: writer?.text ?? "", trouble, isIdle: writer?.isIdle ?? false };
}

/** The answer's piece in an edit: the breaks before the heading, where they were missing, are no part of it. */
function chunkOf(edits: readonly TextEdit[] = []): string {
  return edits[0]?.newText.replaceAll("\r\n", "\n") ?? "";
}
