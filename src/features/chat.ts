import type { CodeActionParams, HoverParams, TextDocumentIdentifier } from "vscode-languageserver-protocol";
import type { DialogRoute } from "../bridge/dialogs.ts";
import type { OptIn } from "../bridge/opt-in.ts";
import type { EditorConnection } from "../editor/connection.ts";
import type { PiError } from "../pi/error.ts";
import { parseRecord } from "../pi/record.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { Templates } from "./ask/templates.ts";
import { Ask } from "./ask.ts";
import { ChangedFiles } from "./changed-files.ts";
import { type ChatState, chatActions, chatLenses, OTHER_KIND, ofKind, SEND_KIND } from "./chat/actions.ts";
import { folds, hints, hover, lastingText, statusText, symbols } from "./chat/aids.ts";
import { Client } from "./chat/client.ts";
import { ChatCommands } from "./chat/commands.ts";
import { Conversation } from "./chat/conversation.ts";
import { DocumentSessions } from "./chat/document-sessions.ts";
import { type ChatDocument, ChatDocuments } from "./chat/documents.ts";
import { below } from "./chat/jobs.ts";
import { Opening } from "./chat/opening.ts";
import { Pointers } from "./chat/pointers.ts";
import { Questions } from "./chat/questions.ts";
import { Refresh } from "./chat/refresh.ts";
import { firstLine, withHint } from "./chat/words.ts";
import type { Trouble } from "./chat/writer.ts";
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

/**
 * So much of a question is told of. Neovim stops at a message of more than some 60 characters, in a terminal of 80 columns,
 * and takes the next key of whoever types there.
 */
const TITLE_CHARACTERS = 30;

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
  private readonly sessions: DocumentSessions;
  private readonly opening: Opening;
  private readonly pointers: Pointers;
  private readonly refresh: Refresh;
  private readonly templates: Templates;

  constructor(context: ChatContext) {
    this.context = context;
    const { pi, editor, documents, messages, optIn, ask } = context;
    this.chats = new ChatDocuments(this.client, editor, documents, {
      opened: (document) => {
        this.opening.opened(document);
        this.pointers.show(document);
      },
      changed: (document) => this.pointers.show(document),
      trouble: (document, what) => this.trouble(document, what),
    });
    this.sessions = new DocumentSessions({ pi, documents: this.chats, messages, ask });
    this.opening = new Opening({ ...context, chats: this.chats, sessions: this.sessions, client: this.client });
    this.conversation = new Conversation({ pi, documents: this.chats, sessions: this.sessions, messages, ask });
    this.questions = new Questions((document) => {
      this.pointers.show(document);
      this.refresh.later();
    });
    this.pointers = new Pointers(editor, this.questions);
    this.refresh = new Refresh(editor, this.client, () =>
      this.chats.open.length > 0
        ? `${this.status} ${this.questions.open.length} ${this.conversation.isBusy} ${pi.status.session?.id}`
        : undefined,
    );
    this.requests = new MessageRequests(editor);
    const chatRoute: ChatRoute = {
      isOpen: () => this.chats.current !== undefined,
      mayShow: () => this.client.isEditor && !optIn.any,
      ask: (question, token, resolve) => {
        // Whoever has a chat open somewhere is told, and not moved there.
        const place = this.chats.current ? Promise.resolve(this.chats.current) : this.opening.open();
        const shown = place.then((document) => {
          if (token.isCancellationRequested) return;
          const { prefill } = question;
          this.questions.ask(question, document, token, resolve);
          if (prefill !== undefined && prefill.trim() !== "") document.writer.do(below(prefill));
          document.writeFile();
          messages.show("warning", `pi asks in the chat: ${firstLine(question.title, TITLE_CHARACTERS)}`);
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
      abort: () => this.commands["pi.chat.abort"]?.([]),
    });
    this.templates = new Templates(pi, { isWanted: () => !optIn.any && this.client.isEditor, ask });
    this.asks = new Ask(documents, {
      templates: () => this.templates.all,
      cwd: () => pi.settings.cwd,
      say: async (message) => this.conversation.say(await this.opening.open(), message),
      draft: (text) => this.opening.draft(text),
      tell: (message) => messages.show("info", message),
    });
    this.changedFiles = new ChangedFiles(documents, {
      isWanted: () => !optIn.any,
      reloads: () => this.client.manner.reloads,
      cwd: () => pi.settings.cwd,
      tell: (message) => messages.show("info", message),
    });
    const actions = new ChatCommands({
      chats: this.chats,
      opening: this.opening,
      sessions: this.sessions,
      conversation: this.conversation,
      questions: this.questions,
      messages,
    });
    this.commands = actions.named({
      ...this.asks.commands,
      ...pickCommands({ messages, ask, choose: (title, titles) => route.choose(title, titles) }),
    });
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
    if (type !== "message_update" && type !== "tool_execution_update") this.refresh.later();
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
    this.sessions.stateChanged();
    this.templates.learn();
    this.refresh.later();
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
        return document
          ? ofKind(chatActions(document, this.stateOf(document)), request.context)
          : this.asks.actions(request);
      },
      "textDocument/codeLens": (params) => this.of(params, (document) => chatLenses(document, this.stateOf(document))),
      "textDocument/inlayHint": (params) =>
        this.of(params, (document) => {
          const status = this.client.refreshesHints ? this.status : lastingText(this.context.pi);
          const older = this.sessions.isOlder(document) ? "an earlier session" : "";
          return hints(document, [older, status].filter((part) => part !== "").join(" · "));
        }),
      "textDocument/documentSymbol": (params) => this.of(params, symbols),
      "textDocument/foldingRange": (params) => this.of(params, folds),
      "textDocument/hover": (params) =>
        this.of(params, (document) => hover(document, (params as HoverParams).position)),
    },
    stop: async () => {
      this.refresh.stop();
      this.chats.stop();
    },
  };

  private stateOf(document: ChatDocument): ChatState {
    const { isBusy } = this.conversation;
    return { isBusy, isOlder: this.sessions.isOlder(document), questions: this.questions.open };
  }

  private get status(): string {
    return statusText(this.context.pi, this.conversation.doing);
  }

  private of<T>(params: unknown, answer: (document: ChatDocument) => T): T | null {
    const document = this.chats.get((params as { textDocument: TextDocumentIdentifier }).textDocument.uri);
    return document?.isOpen ? answer(document) : null;
  }

  private trouble({ uri, name }: ChatDocument, what: Trouble): void {
    const back = "“pi: rebuild the transcript”.";
    const words: Record<Trouble, string> = {
      refused: `The editor does not take pi's edits of ${name}.`,
      unwritable: `The answer cannot be written into ${uri}: ${back}`,
      incomplete: `Not all of the answer is here: ${back}`,
      detached: `The answer's place is gone: ${back}`,
    };
    this.context.messages.show("warning", words[what]);
  }
}
