import type { Position } from "vscode-languageserver-protocol";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { promptStart } from "./prompt.ts";
import { SEPARATOR } from "./quoting.ts";

/** The `/command` or `@path` at the cursor. */
export interface Word {
  is: "command" | "path";
  /** From the first character to the cursor, as it is typed: `@"my fi`. */
  typed: string;
  /** The same without its sign and quote: `my fi`. */
  query: string;
  /** It is a path that begins with a quote. */
  isQuoted: boolean;
  start: Position;
  cursor: Position;
  /** Where it ends behind the cursor, a closing quote not counted. */
  end: Position;
  /** The closing quote follows at `end`. */
  isClosed: boolean;
}

const COMMAND = /^\s*(\/(\S*))$/;
/** Behind these a word begins, as in pi's own editor: an address such as ada@example.org has none. */
const BOUNDARY = `(?:^|["'=(\\[{<\`]|${SEPARATOR})`;
const PATH = new RegExp(`${BOUNDARY}@((?:(?!${SEPARATOR})[^"])*)$`, "u");
const QUOTED_PATH = new RegExp(`${BOUNDARY}@"([^"]*)$`, "u");
const REST_OF_COMMAND = /^\S*/;
const REST_OF_PATH = new RegExp(`^(?:(?!${SEPARATOR})[^"])*`, "u");
/** What ends a sentence or a bracket is not the path's. */
const CLOSING = /[.,;:!?)\]}>'`]+$/;

/** The word at the cursor, when the cursor is in a prompt and there is one. */
export function wordAt(document: TextDocument, position: Position): Word | undefined {
  const from = promptStart(document);
  const cursor = document.offsetAt(position);
  if (from === undefined || cursor < from) return undefined;
  const { line } = document.positionAt(cursor);
  const text = document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const lineStart = document.offsetAt({ line, character: 0 });
  const before = text.slice(0, cursor - lineStart);
  const after = text.slice(cursor - lineStart).replace(/[\r\n]+$/, "");

  const word = (is: Word["is"], typed: string, query: string, rest: string): Word => {
    const end = cursor + rest.length;
    return {
      is,
      typed,
      query,
      isQuoted: typed.startsWith('@"'),
      start: document.positionAt(cursor - typed.length),
      cursor: document.positionAt(cursor),
      end: document.positionAt(end),
      isClosed: typed.startsWith('@"') && after.charAt(rest.length) === '"',
    };
  };

  const quoted = QUOTED_PATH.exec(before)?.[1];
  const rest = REST_OF_PATH.exec(after)?.[0] ?? "";
  if (quoted !== undefined) return word("path", `@"${quoted}`, quoted, rest);
  const path = PATH.exec(before)?.[1];
  if (path !== undefined) return word("path", `@${path}`, path, rest.replace(CLOSING, ""));
  // What a prompt begins with may stand on any line, when nothing but blanks stands above it.
  if (!/^\s*\//.test(before)) return undefined;
  const prompt = document.getText().slice(from, cursor);
  const [, command, name = ""] = COMMAND.exec(prompt) ?? [];
  if (command === undefined) return undefined;
  return word("command", command, name, REST_OF_COMMAND.exec(after)?.[0] ?? "");
}
