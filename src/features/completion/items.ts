import type { CompletionItem, CompletionItemKind } from "vscode-languageserver-protocol";
import type { PiCommand } from "./commands.ts";
import { mention } from "./quoting.ts";
import type { Word } from "./word.ts";

// The numbers themselves: loading the constants would cost more than a third of the start.
const KIND = { function: 3, snippet: 15, file: 17, folder: 19 } as const satisfies Record<string, CompletionItemKind>;

const KIND_OF_SOURCE: Record<string, CompletionItemKind> = {
  extension: KIND.function,
  prompt: KIND.snippet,
  skill: KIND.snippet,
};

/** What the client can take. */
export interface ItemSupport {
  /** The part before the cursor and the whole word as two ranges, between which the person chooses. */
  insertReplace: boolean;
}

/** @param rank the item's place: clients sort by it */
export function commandItem(command: PiCommand, rank: number, word: Word, support: ItemSupport): CompletionItem {
  const { name, description, source } = command;
  return {
    ...item(`/${name}`, rank, word, support, word.end),
    kind: KIND_OF_SOURCE[source] ?? KIND.function,
    detail: source,
    ...(description && { documentation: description }),
  };
}

export function fileItem(path: string, rank: number, word: Word, support: ItemSupport): CompletionItem {
  const text = mention(path, word.isQuoted);
  // The closing quote is the item's own, if it has one.
  const ends = word.isClosed && text.endsWith('"');
  const end = ends ? { line: word.end.line, character: word.end.character + 1 } : word.end;
  return { ...item(text, rank, word, support, end), kind: path.endsWith("/") ? KIND.folder : KIND.file };
}

function item(text: string, rank: number, word: Word, support: ItemSupport, end: Word["end"]): CompletionItem {
  const { start, cursor } = word;
  return {
    label: text,
    sortText: String(rank).padStart(3, "0"),
    // Clients filter on their own, some by prefix only: what is typed must stand in front for every item to be shown.
    filterText: text.startsWith(word.typed) ? text : `${word.typed} ${text}`,
    textEdit: support.insertReplace
      ? { newText: text, insert: { start, end: cursor }, replace: { start, end } }
      : { newText: text, range: { start, end } },
  };
}
