import type { CompletionList, CompletionParams } from "vscode-languageserver-protocol";
import { unlessCancelled } from "../editor/connection.ts";
import { elsewhere } from "../pi/elsewhere.ts";
import { sessionCwd } from "../pi/preflight.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { PiCommands } from "./completion/commands.ts";
import { Files } from "./completion/files.ts";
import { commandItem, fileItem, type ItemSupport } from "./completion/items.ts";
import { isPromptDocument } from "./completion/prompt.ts";
import { type Word, wordAt } from "./completion/word.ts";
import type { Documents } from "./documents.ts";
import type { Feature } from "./feature.ts";

const NOTHING: CompletionList = { isIncomplete: false, items: [] };

/** `textDocument/completion` in prompts: pi's commands behind `/`, the files of its working directory behind `@`. */
export class Completion {
  private readonly pi: Supervisor;
  private readonly documents: Documents;
  private readonly log: (text: string) => void;
  private readonly commands: PiCommands;
  private readonly files: Files;
  private support: ItemSupport = { insertReplace: false };
  private hasToldOfElsewhere = false;

  /** @param env the environment that pi starts from, and git */
  constructor(pi: Supervisor, documents: Documents, env: NodeJS.ProcessEnv, log: (text: string) => void) {
    this.pi = pi;
    this.documents = documents;
    this.log = log;
    this.commands = new PiCommands(pi);
    this.files = new Files({ folder: () => this.folder(), env, log });
    documents.follow({
      // pi is not started for that: the file may just be looked at.
      opened: ({ uri, languageId }) => {
        if (isPromptDocument(uri, languageId) && this.isHere()) this.files.prepare();
      },
    });
  }

  readonly feature: Feature = {
    capabilities: ({ textDocument } = {}) => {
      this.support = { insertReplace: textDocument?.completion?.completionItem?.insertReplaceSupport === true };
      return { completionProvider: { triggerCharacters: ["/", "@"] } };
    },
    requests: {
      "textDocument/completion": (params, { token }) => {
        const { textDocument, position } = params as CompletionParams;
        const document = this.documents.get(textDocument.uri);
        const word = document && wordAt(document, position);
        return word ? unlessCancelled(this.complete(word), token) : NOTHING;
      },
    },
    stop: () => this.files.stop(),
  };

  /** An event of pi's. */
  event(type: string): void {
    if (type === "tool_execution_end") this.files.expire();
    else if (type === "agent_settled") this.files.renew();
  }

  private async complete(word: Word): Promise<CompletionList> {
    const items =
      word.is === "command"
        ? (await this.commands.find(word.query)).map((command, at) => commandItem(command, at, word, this.support))
        : this.isHere()
          ? (await this.files.find(word.query)).map((path, at) => fileItem(path, at, word, this.support))
          : [];
    return { isIncomplete: true, items };
  }

  /** pi's working directory: the session's own, which a session of another folder brings along. */
  private folder(): string {
    const file = this.pi.status.session?.file;
    return (file === undefined ? undefined : sessionCwd(file)) ?? this.pi.settings.cwd;
  }

  /** Whether pi works on the files that are seen from here. Says once that it does not. */
  private isHere(): boolean {
    const by = elsewhere(this.pi.settings);
    if (by === undefined) return true;
    if (!this.hasToldOfElsewhere) this.log(`@ completes no files: pi works elsewhere (${by}).`);
    this.hasToldOfElsewhere = true;
    return false;
  }
}
