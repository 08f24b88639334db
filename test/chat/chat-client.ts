import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CodeAction, TextEdit } from "vscode-languageserver-protocol";
import { applyEdits, offsetAt } from "../../src/features/chat/changes.ts";
import type { Message } from "../support/editor.ts";
import type { Pi } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import type { Step } from "../support/scenario.ts";
import { type Talk, type TalkOptions, talkTo } from "../support/talk.ts";

/** A start of pi takes a second, and ten where two others want the same core. Still below vitest's own deadline. */
const DEADLINE_MS = 50_000;

/** What a stock editor says that it can do. */
const CAPABILITIES = {
  textDocument: { synchronization: {}, codeAction: {}, inlayHint: {} },
  workspace: { applyEdit: true, workspaceEdit: { documentChanges: true }, inlayHint: { refreshSupport: true } },
  window: { workDoneProgress: true, showDocument: { support: true } },
};

export interface ChatClientOptions extends TalkOptions {
  /** Edits are made, whatever the reply to them is. */
  appliesInSilence?: boolean;
  /** `clientInfo.name` */
  name?: string;
  /** How requests of the server's are answered; undefined: not at all. Those that are not named here work. */
  replies?: Record<string, (message: Message) => { result: unknown } | { code: number } | undefined>;
}

/** An editor without any knowledge of pi, with its documents. It tells of an edit before it replies, as Helix does. */
export class ChatClient {
  readonly talk: Talk;
  readonly texts = new Map<string, { text: string; version: number }>();
  private readonly replies: NonNullable<ChatClientOptions["replies"]>;
  private readonly appliesInSilence: boolean;
  /** Edits are refused, as an editor does it in the midst of typing. */
  refusesEdits = false;
  private served = 0;

  constructor(talk: Talk, { replies = {}, appliesInSilence = false }: ChatClientOptions) {
    this.talk = talk;
    this.replies = replies;
    this.appliesInSilence = appliesInSilence;
    talk.deadlineMs = DEADLINE_MS;
    talk.bridge.onData(() => this.serve());
  }

  /** Writes a file into the project, and opens it. @returns its uri */
  open(name: string, text: string, languageId = "markdown"): string {
    const path = join(this.talk.sandbox.project, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    const uri = pathToFileURL(path).href;
    this.show(uri, languageId);
    return uri;
  }

  /** A file that is not there until it is saved. */
  openNew(name: string, text: string): string {
    const uri = pathToFileURL(join(this.talk.sandbox.project, name)).href;
    this.tell(uri, text, "markdown");
    return uri;
  }

  save(uri: string): void {
    writeFileSync(fileURLToPath(uri), this.textOf(uri));
    this.talk.notify("textDocument/didSave", { textDocument: { uri } });
  }

  show(uri: string, languageId = "markdown"): void {
    this.tell(uri, readFileSync(fileURLToPath(uri), "utf8"), languageId);
  }

  private tell(uri: string, text: string, languageId: string): void {
    this.texts.set(uri, { text, version: 0 });
    this.talk.notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 0, text } });
  }

  close(uri: string): void {
    this.texts.delete(uri);
    this.talk.notify("textDocument/didClose", { textDocument: { uri } });
  }

  textOf(uri: string): string {
    return this.texts.get(uri)?.text ?? "";
  }

  /** The person writes at the end of the document. */
  type(uri: string, text: string): void {
    this.edit(uri, this.textOf(uri) + text);
  }

  edit(uri: string, text: string): void {
    const version = (this.texts.get(uri)?.version ?? 0) + 1;
    this.texts.set(uri, { text, version });
    this.talk.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
  }

  async actions(uri: string, context: object = { diagnostics: [] }, line = 0): Promise<CodeAction[]> {
    const range = { start: { line, character: 0 }, end: { line, character: 0 } };
    return (await this.talk.call("textDocument/codeAction", { textDocument: { uri }, range, context })) as CodeAction[];
  }

  async titles(uri: string, context?: object): Promise<string[]> {
    return (await this.actions(uri, context)).map(({ title }) => title);
  }

  command(command: string, args: unknown[] = []): Promise<unknown> {
    return this.talk.call("workspace/executeCommand", { command, arguments: args });
  }

  /** Chooses a code action by its title. */
  async choose(uri: string, title: string): Promise<void> {
    const action = (await this.actions(uri)).find((one) => one.title === title);
    if (!action?.command) throw new Error(`no action ${title}`);
    await this.command(action.command.command, action.command.arguments);
  }

  /** Waits until the document is as it is wanted. */
  async until(uri: string, wanted: string | ((text: string) => boolean)): Promise<string> {
    const is = () => (typeof wanted === "string" ? this.textOf(uri).includes(wanted) : wanted(this.textOf(uri)));
    // Nobody but a message changes it while a test waits.
    if (!is())
      await this.talk.until(is, this.talk.received.length).catch((error: Error) => {
        throw new Error(`the document did not become ${wanted}:\n${this.textOf(uri)}\n${error.message}`);
      });
    return this.textOf(uri);
  }

  /** A message to the person. */
  said(words: string): Promise<Message> {
    return this.talk.until(
      ({ method, params }) => method === "window/showMessage" && String(params.message).includes(words),
    );
  }

  private serve(): void {
    for (; this.served < this.talk.received.length; this.served++) {
      const message = this.talk.received[this.served];
      if (message?.method !== undefined && message.id !== undefined) this.reply(message);
    }
  }

  private reply(message: Message): void {
    const own = this.replies[message.method ?? ""];
    if (own) {
      if (message.method === "workspace/applyEdit" && this.appliesInSilence) this.apply(message.params);
      const reply = own(message);
      if (!reply) return;
      if ("code" in reply) this.talk.refuse(message, { code: reply.code, message: "no" });
      else this.talk.answer(message, reply.result);
      return;
    }
    switch (message.method) {
      case "workspace/applyEdit":
        return this.talk.answer(message, { applied: this.apply(message.params) });
      case "window/showDocument":
        this.show(String(message.params.uri));
        return this.talk.answer(message, { success: true });
      case "window/workDoneProgress/create":
      case "workspace/inlayHint/refresh":
        return this.talk.answer(message, null);
      default:
        return this.talk.refuse(message, { code: -32601, message: "unknown" });
    }
  }

  private apply({ edit }: Record<string, unknown>): boolean {
    if (this.refusesEdits) return false;
    const { documentChanges } = edit as {
      documentChanges: { textDocument: { uri: string; version: number | null }; edits: TextEdit[] }[];
    };
    for (const { textDocument, edits } of documentChanges) {
      const document = this.texts.get(textDocument.uri);
      if (!document || (textDocument.version !== null && textDocument.version !== document.version)) return false;
      const { text } = document;
      const changes = edits.map(({ range, newText }) => ({
        start: offsetAt(text, range.start),
        end: offsetAt(text, range.end),
        text: newText,
      }));
      this.edit(textDocument.uri, applyEdits(text, changes));
    }
    return true;
  }
}

/** A stock editor that is through with its initialization, in front of PI. */
export async function chatWith(
  pi: Pi,
  scenario: readonly Step[] = [],
  options: ChatClientOptions = {},
  sandbox = new Sandbox(),
): Promise<ChatClient> {
  const { name = "helix", replies, appliesInSilence, ...rest } = options;
  const initialize = { clientInfo: { name }, capabilities: CAPABILITIES };
  const talk = await talkTo(pi, scenario, { optIn: null, initialize, ...rest }, sandbox);
  return new ChatClient(talk, { ...(replies && { replies }), ...(appliesInSilence && { appliesInSilence }) });
}
