import type { CodeAction, CodeActionParams, Diagnostic, Range } from "vscode-languageserver-protocol";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { passageAt, problems, reference } from "./ask/passage.ts";
import type { Template } from "./ask/templates.ts";
import { actionOf, OTHER_KIND, ofKind, SEND_KIND } from "./chat/actions.ts";
import { isChatDocument, isPromptDocument } from "./completion/prompt.ts";
import type { Documents } from "./documents.ts";

/** What can be asked about a passage of any file. The key names the command: `pi.ask.explain`. */
const REQUESTS = {
  explain: { title: "pi: explain", words: (what: string) => `Explain ${what}` },
  tests: { title: "pi: write tests", words: (what: string) => `Write tests for ${what}` },
  review: {
    title: "pi: review",
    words: (what: string) => `Review ${what}\n\nName bugs and risks, the worst first. Change nothing.`,
  },
} as const;

/** A longer menu is not read. */
const MOST_TEMPLATES = 10;

export interface AskEvents {
  templates(): readonly Template[];
  cwd(): string;
  /** Sends MESSAGE to pi, and shows it in a chat. */
  say(message: string): Promise<void>;
  /** Opens a chat with TEXT below its heading. */
  draft(text: string): Promise<void>;
  tell(message: string): void;
}

interface Where {
  uri: string;
  range: Range | undefined;
  diagnostics: readonly Diagnostic[];
}

/** Questions about the code in front of a person, as code actions and as commands. */
export class Ask {
  private readonly documents: Documents;
  private readonly events: AskEvents;
  /** Where the person was last: for editors whose commands cannot say it. */
  private last: Where | undefined;

  constructor(documents: Documents, events: AskEvents) {
    this.documents = documents;
    this.events = events;
    documents.follow({
      opened: ({ uri, languageId }) => {
        if (!isPromptDocument(uri, languageId)) this.last = { uri, range: undefined, diagnostics: [] };
      },
      changed: ({ uri, languageId }) => {
        if (!isPromptDocument(uri, languageId) && this.last?.uri !== uri)
          this.last = { uri, range: undefined, diagnostics: [] };
      },
      closed: (uri) => {
        if (this.last?.uri === uri) this.last = undefined;
      },
    });
  }

  /** The code actions of a document that is no chat. */
  actions({ textDocument, range, context }: CodeActionParams): CodeAction[] {
    const { uri } = textDocument;
    const document = this.documents.get(uri);
    if (!document || isPromptDocument(uri, document.languageId)) return [];
    const { diagnostics = [], triggerKind } = context;
    this.last = { uri, range, diagnostics };
    const isEmpty = range.start.line === range.end.line && range.start.character === range.end.character;
    // A lamp on every line would say nothing.
    if (triggerKind === 2 && isEmpty && diagnostics.length === 0) return [];
    const subject = isEmpty ? "the function here" : "the selection";
    const where = { uri, range };
    const actions = [
      actionOf(`pi: ask about ${subject}`, OTHER_KIND, "pi.ask.selection", [where]),
      ...Object.entries(REQUESTS).map(([name, { title }]) =>
        actionOf(`${title} ${subject}`.replace("tests the", "tests for the"), OTHER_KIND, `pi.ask.${name}`, [where]),
      ),
    ];
    for (const { name } of this.events.templates().slice(0, MOST_TEMPLATES))
      actions.push(actionOf(`pi: /${name} ${subject}`, OTHER_KIND, "pi.ask.template", [where, name]));
    if (diagnostics.length > 0) {
      const title = diagnostics.length === 1 ? "pi: fix this problem" : `pi: fix these ${diagnostics.length} problems`;
      actions.push({ ...actionOf(title, SEND_KIND, "pi.ask.fix", [{ ...where, diagnostics }]), diagnostics });
    }
    return ofKind(actions, context);
  }

  /** By the name of the command. Each works without an argument. */
  readonly commands: Record<string, (args: unknown[]) => Promise<void> | undefined> = {
    "pi.ask.selection": ([where]) => {
      const found = this.find(where);
      return found && this.events.draft(`${this.name(found)}\n\n`);
    },
    "pi.ask.fix": ([where]) => {
      const found = this.find(where);
      if (!found) return undefined;
      const listed = found.diagnostics.length > 0 ? problems(found.diagnostics) : "";
      const words = listed === "" ? "Find what is wrong there and fix it." : `Fix there:\n\n${listed}`;
      return this.events.say(`Look at ${this.name(found)}\n\n${words}`);
    },
    "pi.ask.template": ([where, name]) => {
      const found = typeof name === "string" ? this.find(where) : undefined;
      if (typeof name !== "string") this.events.tell("pi: write the template's name below the heading of a chat.");
      return found && this.events.say(`/${name} ${this.name(found)}`);
    },
    ...Object.fromEntries(
      Object.entries(REQUESTS).map(([name, { words }]) => [
        `pi.ask.${name}`,
        ([where]: unknown[]) => {
          const found = this.find(where);
          return found && this.events.say(words(this.name(found)));
        },
      ]),
    ),
  };

  private name({ document, range }: { document: TextDocument; range: Range | undefined }): string {
    return reference(passageAt(document, range), this.events.cwd());
  }

  /** The place that an argument names, else the one where the person was last. */
  private find(argument: unknown): (Where & { document: TextDocument }) | undefined {
    const given = Object(argument) as Partial<Where>;
    const where = typeof given.uri === "string" ? { ...given, uri: given.uri } : this.last;
    const document = where && this.documents.get(where.uri);
    if (document && !isChatDocument(document.uri)) {
      const diagnostics = Array.isArray(where.diagnostics) ? where.diagnostics : [];
      return { uri: document.uri, range: where.range, diagnostics, document };
    }
    this.events.tell("pi: there is no open file to ask about.");
    return undefined;
  }
}
