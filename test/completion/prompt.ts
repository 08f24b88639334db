import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Editor } from "../support/editor.ts";
import type { Sandbox } from "../support/sandbox.ts";

interface Position {
  line: number;
  character: number;
}

interface Range {
  start: Position;
  end: Position;
}

export interface Item {
  label: string;
  kind: number;
  sortText: string;
  filterText: string;
  detail?: string;
  documentation?: string;
  textEdit: { newText: string } & ({ range: Range } | { insert: Range; replace: Range });
}

/** Where the cursor is in a text of a test. */
const MARK = "‸";

/** Files in the workspace, empty ones unless `text` has more; a folder ends with a slash. */
export function files({ project }: Sandbox, paths: readonly string[], texts: Record<string, string> = {}): void {
  for (const path of [...paths, ...Object.keys(texts)]) {
    const file = join(project, path);
    mkdirSync(path.endsWith("/") ? file : dirname(file), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(file, texts[path] ?? "");
  }
}

/** Makes the workspace, or a folder in it, a repository that tracks what is there and not ignored. */
export function repository({ project, env }: Sandbox, folder = "."): void {
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
  ])
    execFileSync("git", words, { cwd: join(project, folder), env, stdio: "pipe" });
}

let count = 0;

/** A document that the editor has open. */
export class Prompt {
  readonly uri: string;
  private readonly editor: Editor;
  private text: string;
  private version = 1;

  /** @param text may have a mark where the cursor is */
  constructor(editor: Editor, text: string, { uri = "untitled:", languageId = "pi-prompt" } = {}) {
    this.editor = editor;
    this.uri = uri === "untitled:" ? `${uri}Prompt-${count++}` : uri;
    this.text = text;
    editor.notify("textDocument/didOpen", {
      textDocument: { uri: this.uri, languageId, version: this.version, text: text.replace(MARK, "") },
    });
  }

  /** The cursor, in UTF-16 as the protocol counts. */
  get position(): Position {
    return positionOf(this.text, this.text.indexOf(MARK));
  }

  /** Tells of changes, each a range and its new text or a whole text; TEXT is what comes of them, with its mark. */
  change(text: string, contentChanges: readonly ({ range: Range; text: string } | { text: string })[]): void {
    this.text = text;
    this.version += 1;
    this.editor.notify("textDocument/didChange", {
      textDocument: { uri: this.uri, version: this.version },
      contentChanges,
    });
  }

  close(): void {
    this.editor.notify("textDocument/didClose", { textDocument: { uri: this.uri } });
  }

  request() {
    return this.editor.request("textDocument/completion", {
      textDocument: { uri: this.uri },
      position: this.position,
      context: { triggerKind: 1 },
    });
  }

  async items(): Promise<Item[]> {
    return (await this.list()).items;
  }

  async list(): Promise<{ isIncomplete: boolean; items: Item[] }> {
    const answer = await this.request();
    if ("error" in answer) throw new Error(JSON.stringify(answer.error));
    return answer.result as { isIncomplete: boolean; items: Item[] };
  }

  async labels(): Promise<string[]> {
    return (await this.items()).map(({ label }) => label);
  }

  /** The labels, asked for until they are as wanted: what they come from is renewed behind the answers. */
  async labelsOnce(isMeant: (labels: string[]) => boolean): Promise<string[]> {
    for (const deadline = Date.now() + 40_000; ; ) {
      const labels = await this.labels();
      if (isMeant(labels) || Date.now() > deadline) return labels;
    }
  }

  /** The text after the edit of an item; the mark is where the new text ends. */
  after({ textEdit }: Item, mode: "insert" | "replace" = "replace"): string {
    const { start, end } = "range" in textEdit ? textEdit.range : textEdit[mode];
    const text = this.text.replace(MARK, "");
    return `${text.slice(0, offsetOf(text, start))}${textEdit.newText}${MARK}${text.slice(offsetOf(text, end))}`;
  }
}

function positionOf(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function offsetOf(text: string, { line, character }: Position): number {
  const ends = [...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: eol }) => index + eol.length);
  return ([0, ...ends][line] ?? text.length) + character;
}
