import { pathToFileURL } from "node:url";
import { CancellationToken } from "vscode-jsonrpc/node";
import type { CodeActionParams, HoverParams, TextDocumentIdentifier } from "vscode-languageserver-protocol";
import type { DialogRoute } from "../bridge/dialogs.ts";
import type { OptIn } from "../bridge/opt-in.ts";
import type { EditorConnection } from "../editor/connection.ts";
import type { PiError } from "../pi/error.ts";
import { parseRecord } from "../pi/record.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { Ask } from "./ask.ts";
import { ChangedFiles } from "./changed-files.ts";
import { type ChatState, chatActions, chatLenses, OTHER_KIND, ofKind, SEND_KIND } from "./chat/actions.ts";
import { diagnostics, folds, hints, hover, statusText, symbols } from "./chat/aids.ts";
import { Client } from "./chat/client.ts";
import { Conversation, withHint } from "./chat/conversation.ts";
import { type ChatDocument, ChatDocuments } from "./chat/documents.ts";
import { ChatFile, showDocument } from "./chat/file.ts";
import { below, heading } from "./chat/jobs.ts";
import { Questions } from "./chat/questions.ts";
import { type ChatRoute, StandardRoute } from "./dialog-route.ts";
import type { Documents } from "./documents.ts";
import type { Feature } from "./feature.ts";
import { MessageRequests } from "./message-request.ts";
import type { Messages } from "./messages.ts";
import { pickCommands } from "./pick.ts";
import { Progress } from "./progress.ts";

export interface ChatContext {
  pi: Supervisor;
  editor: EditorConnection;
  documents: Documents;
  messages: Messages;
  optIn: OptIn;
  env: NodeJS.ProcessEnv;
  secondRouteMs?: number | undefined;
  /** Any method of this server, as an editor would call it. */
  ask(method: string, params: object): Promise<unknown>;
}

/** An inlay hint that is asked for more often tells nobody more. */
const REFRESH_MS = 500;

/** A whole conversation in any editor that speaks LSP: the chat document, and what belongs to it. */
export class Chat {
  readonly route: DialogRoute;
  readonly progress: Progress;
  /** What a person may call by name, without arguments too. Each answers at once. */
  readonly commands: Record<string, (args: unknown[]) => void>;
  private readonly client = new Client();
  private readonly context: ChatContext;
  private readonly chats: ChatDocuments;
  private readonly conversation: Conversation;
  private readonly questions: Questions;
  private readonly requests: MessageRequests;
  private readonly asks: Ask;
  private readonly changedFiles: ChangedFiles;
  private readonly file: ChatFile;
  private readonly diagnosed = new Set<ChatDocument>();
  private learnedFrom: string | undefined;
  private shownStatus = "";
  private refreshTimer: NodeJS.Timeout | undefined;

  constructor(context: ChatContext) {
    this.context = context;
    const { pi, editor, documents, messages, optIn, env, ask } = context;
    this.file = new ChatFile(env);
    this.chats = new ChatDocuments(this.client, editor, documents, {
      opened: (document) => this.opened(document),
      changed: (document) => this.diagnose(document),
      trouble: (document, what) => this.trouble(document, what),
    });
    this.conversation = new Conversation({ pi, documents: this.chats, messages, ask });
    this.questions = new Questions((document) => {
      this.diagnose(document);
      this.refresh();
    });
    this.requests = new MessageRequests(editor);
    const chatRoute: ChatRoute = {
      isOpen: () => this.chats.current !== undefined,
      mayShow: () => this.client.isEditor && !optIn.any,
      ask: (question, token, resolve) => {
        // Whoever has a chat open somewhere is told, and not moved there.
        const place = this.chats.current ? Promise.resolve(this.chats.current) : this.openChat();
        const shown = place.then((document) => {
          if (token.isCancellationRequested) return;
          const { prefill } = question;
          this.questions.ask(question, document, token, resolve);
          if (prefill !== undefined && prefill.trim() !== "") document.writer.do(below(prefill));
          document.writeFile();
          messages.show("warning", `pi asks: ${question.title} (answer in the chat)`);
        });
        shown.catch((error) => {
          messages.show("warning", `pi asks: ${question.title}. There is no chat to answer in: ${withHint(error)}`);
          resolve(undefined);
        });
      },
    };
    const route = new StandardRoute(this.requests, chatRoute, context.secondRouteMs);
    this.route = route;
    this.progress = new Progress(editor, {
      isWanted: () => this.client.hasProgress && !optIn.wants("agent_start"),
      abort: () => this.attempt(this.conversation.abort()),
    });
    this.asks = new Ask(documents, {
      cwd: () => pi.settings.cwd,
      say: async (message) => this.conversation.say(await this.openChat(), message),
      draft: async (text) => (await this.openChat()).writer.do(below(text)),
      tell: (message) => messages.show("info", message),
    });
    this.changedFiles = new ChangedFiles(documents, {
      isWanted: () => !optIn.any,
      reloads: () => this.client.manner.reloads,
      cwd: () => pi.settings.cwd,
      tell: (message) => messages.show("info", message),
    });
    const commands: Record<string, (args: unknown[]) => Promise<unknown> | undefined> = {
      "pi.chat.open": () => this.openChat(),
      "pi.chat.send": ([uri]) => this.withChat(uri, (document) => this.send(document)),
      "pi.chat.follow_up": ([uri]) => this.withChat(uri, (document) => this.conversation.send(document, "followUp")),
      "pi.chat.abort": () => this.conversation.abort(),
      "pi.chat.rebuild": ([uri]) => this.withChat(uri, (document) => this.conversation.rebuild(document)),
      "pi.chat.resume": ([uri]) => this.withChat(uri, (document) => this.conversation.resume(document)),
      "pi.chat.answer": (args) => this.answer(args),
      ...this.asks.commands,
      ...pickCommands({ messages, ask, choose: (title, titles) => route.choose(title, titles) }),
    };
    this.commands = Object.fromEntries(
      Object.entries(commands).map(([name, run]) => [name, (args: unknown[]) => this.attempt(run(args))]),
    );
  }

  /** @param params of `initialize` */
  initialize(params: Record<string, unknown>): void {
    this.client.read(params);
  }

  /** An event of pi's. */
  record(type: string, line: Buffer): void {
    this.changedFiles.record(type, line);
    this.conversation.record(type, line);
    // When the progress has ended, everything has been said.
    this.progress.record(type, line);
    if (type !== "message_update" && type !== "tool_execution_update") this.refresh();
  }

  /** What pi tells beside its events, for an editor that does not hear it in pi's own words. */
  announcement(method: string, line: Buffer): void {
    if (this.context.optIn.wants(`ui/${method}`)) return;
    const { message, notifyType, text } = parseRecord(line) ?? {};
    if (method === "notify" && typeof message === "string")
      this.context.messages.show(notifyType === "error" || notifyType === "warning" ? notifyType : "info", message);
    if (method === "set_editor_text" && typeof text === "string" && text.trim() !== "")
      this.chats.current?.writer.do(below(text));
  }

  /** The run has ended though pi did not say so. */
  ended(error: PiError | undefined): void {
    this.conversation.ended(error);
    this.progress.end();
  }

  stateChanged(): void {
    this.conversation.stateChanged();
    this.learnTemplates();
    this.refresh();
  }

  readonly feature: Feature = {
    capabilities: () => ({
      codeActionProvider: { codeActionKinds: [SEND_KIND, OTHER_KIND] },
      codeLensProvider: {},
      inlayHintProvider: true,
      documentSymbolProvider: true,
      foldingRangeProvider: true,
      hoverProvider: true,
    }),
    requests: {
      "textDocument/codeAction": (params) => {
        const request = { context: { diagnostics: [] }, ...(params as Partial<CodeActionParams>) } as CodeActionParams;
        const document = this.chats.get(request.textDocument.uri);
        return document ? ofKind(chatActions(document, this.chatState), request.context) : this.asks.actions(request);
      },
      "textDocument/codeLens": (params) => this.of(params, (document) => chatLenses(document, this.chatState)),
      "textDocument/inlayHint": (params) => this.of(params, (document) => hints(document, this.status)),
      "textDocument/documentSymbol": (params) => this.of(params, symbols),
      "textDocument/foldingRange": (params) => this.of(params, folds),
      "textDocument/hover": (params) =>
        this.of(params, (document) => hover(document, (params as HoverParams).position)),
    },
    stop: async () => {
      clearTimeout(this.refreshTimer);
      this.chats.stop();
    },
  };

  /** Once for each session: templates belong to its folder. */
  private learnTemplates(): void {
    const { pi, optIn, ask } = this.context;
    const id = pi.state.is === "ready" ? pi.status.session?.id : undefined;
    if (id === undefined || id === this.learnedFrom || optIn.any || !this.client.isEditor) return;
    this.learnedFrom = id;
    ask("pi/get_commands", {}).then(
      (data) => {
        const { commands = [] } = Object(data) as { commands?: { name: string; source: string }[] };
        this.asks.templates = commands.filter(({ source }) => source === "prompt" || source === "skill");
      },
      () => {},
    );
  }

  private get chatState(): ChatState {
    return { isBusy: this.conversation.isBusy, questions: this.questions.open };
  }

  private get status(): string {
    return statusText(this.context.pi, this.conversation.doing);
  }

  private of<T>(params: unknown, answer: (document: ChatDocument) => T): T | null {
    const document = this.chats.get((params as { textDocument: TextDocumentIdentifier }).textDocument.uri);
    return document?.isOpen ? answer(document) : null;
  }

  private async send(document: ChatDocument): Promise<void> {
    const { open } = this.questions;
    if (open.some(({ choices }) => choices.length === 0)) return void this.questions.answerWithPrompt(document);
    if (open.length > 0)
      return this.context.messages.show("warning", "pi waits for an answer: choose one of the code actions.");
    await this.conversation.send(document);
  }

  private answer([name, title]: unknown[]): undefined {
    if (this.questions.answer(String(name), String(title))) return;
    const { open } = this.questions;
    this.context.messages.show(
      "info",
      open.length > 0 ? "pi waits for an answer: choose one of the code actions." : "That question is closed.",
    );
  }

  /** The chat that an argument names, else the one that is open, else a new one. */
  private async withChat(uri: unknown, run: (document: ChatDocument) => Promise<void>): Promise<void> {
    const named = typeof uri === "string" ? this.chats.get(uri) : undefined;
    const document = named ?? this.chats.current;
    if (document) await run(document);
    else await this.openChat();
  }

  /** What a person has asked for, and nobody waits for: they are told when it fails. */
  private attempt(work: Promise<unknown> | undefined): void {
    work?.catch((error) => this.context.messages.show("warning", withHint(error)));
  }

  /** Shows the open chat; when there is none, a new one. What is written into it before it is open waits. */
  private async openChat(): Promise<ChatDocument> {
    const { current } = this.chats;
    const { editor, pi, messages } = this.context;
    if (current) {
      void showDocument(editor, current.uri);
      return current;
    }
    const path = this.file.make(pi.settings.cwd, this.client.manner.isProjectBound);
    const { href } = pathToFileURL(path);
    const document = this.chats.of(href);
    this.chats.target ??= document;
    const shows = await showDocument(editor, href);
    if (!shows && !document.isOpen) messages.show("info", `The chat with pi is in ${path}: open it.`);
    return document;
  }

  /** A file that has nothing in it gets its heading. One of another session says so. */
  private opened(document: ChatDocument): void {
    const { messages, pi } = this.context;
    if (document.text.trim() === "") document.writer.do(heading());
    const { session } = document;
    if (session !== undefined && session !== pi.status.session?.id && this.chats.target !== document)
      messages.show("info", "This chat is of an earlier session. Sending from it goes on with that one.");
    this.diagnose(document);
  }

  private trouble(document: ChatDocument, what: "detached" | "incomplete" | "refused"): void {
    const { messages } = this.context;
    const rebuild = "“pi: rebuild the transcript” brings all of it back.";
    if (what === "refused") messages.show("warning", `The editor does not take pi's edits of ${document.uri}.`);
    else if (what === "incomplete") messages.show("warning", `A part of the answer is missing in the chat. ${rebuild}`);
    else messages.show("warning", `The answer's place in the chat is gone: pi goes on without showing it. ${rebuild}`);
  }

  private diagnose(document: ChatDocument): void {
    const found = diagnostics(document, this.questions.open);
    if (found.length === 0 && !this.diagnosed.delete(document)) return;
    if (found.length > 0) this.diagnosed.add(document);
    this.context.editor.notify("textDocument/publishDiagnostics", { uri: document.uri, diagnostics: found });
  }

  /** Has the editor ask again for what shows the state, when that has changed and somebody looks at it. */
  private refresh(): void {
    if (this.chats.open.length === 0 || this.refreshTimer) return;
    this.refreshTimer = setTimeout(() => {
      this.refreshTimer = undefined;
      const now = `${this.status} ${this.questions.open.length} ${this.conversation.isBusy}`;
      if (now === this.shownStatus) return;
      this.shownStatus = now;
      const { editor } = this.context;
      const send = (method: string) => editor.request(method, {}, CancellationToken.None).catch(() => {});
      if (this.client.refreshesHints) void send("workspace/inlayHint/refresh");
      if (this.client.refreshesLenses) void send("workspace/codeLens/refresh");
    }, REFRESH_MS).unref();
  }
}
