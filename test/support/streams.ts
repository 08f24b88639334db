import type { Editor, Message } from "./editor.ts";

interface Update {
  type: string;
  delta?: string;
  contentIndex?: number;
}

/** What the model streamed, piece by piece: `text_delta`, `thinking_delta` or `toolcall_delta`. */
export function deltas(editor: Editor, type: string, from = 0): string[] {
  return editor
    .all("pi/message_update")
    .filter(({ at }) => at >= from)
    .map(({ params }) => params.assistantMessageEvent as Update)
    .flatMap((update) => (update.type === type ? [update.delta ?? ""] : []));
}

/** True for the update that brings this piece of text. */
export function isDelta(text: string): (message: Message) => boolean {
  return ({ method, params }) =>
    method === "pi/message_update" && (params.assistantMessageEvent as Update).delta?.trim() === text;
}

/** The names of the events of a run, without the repeated ones of a stream. */
export function eventNames(editor: Editor): string[] {
  const names = editor.received.flatMap(({ method }) => (method?.startsWith("pi/") ? [method.slice(3)] : []));
  return names.filter((name, at) => name !== names[at - 1]);
}
