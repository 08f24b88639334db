import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, inRoot } from "../support/debian-roots.ts";
import type { EditorUnderTest } from "./editors.ts";
import { Terminal, until } from "./terminal.ts";
import { Told } from "./told.ts";

const node = join(checkout, "node_modules/.bin/node");
const pi = join(checkout, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
const scripted = join(checkout, "src/demo/scripted-model.ts");

export interface SessionOptions {
  columns?: number;
  /** The name of the file that is opened, in the project. */
  name?: string;
  /** The editor sends whole texts. */
  hasFullSync?: boolean;
}

/** One editor with one chat document and the real pi, whose model is scripted. */
export class Session {
  readonly editor: EditorUnderTest;
  readonly folder: string;
  file: string;
  readonly terminal: Terminal;
  private last = "";
  private readonly told: Told;
  private static count = 0;

  constructor(editor: EditorUnderTest, text: string, options: SessionOptions = {}) {
    const { columns, name = "chat.pi.md", hasFullSync = false } = options;
    this.editor = editor;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-ls-ed-")));
    for (const name of ["project/.git", "agent", "sessions"]) mkdirSync(join(this.folder, name), { recursive: true });
    this.file = join(this.folder, "project", name);
    this.told = new Told(join(this.folder, "said"));
    writeFileSync(this.file, text);
    const words = [node, pi];
    const model = ["-e", scripted, "--provider", "scripted", "--model", "script"];
    const server = [
      node,
      join(import.meta.dirname, "tap.ts"),
      this.folder,
      ...(hasFullSync ? ["--full-sync"] : []),
      "--pi",
      JSON.stringify(words),
      "--",
      ...model,
      "--session-dir",
      join(this.folder, "sessions"),
    ];
    const start = inRoot(editor.root(), editor.setUp(this.folder, server, this.file));
    Session.count += 1;
    this.terminal = new Terminal(
      `${editor.name.replaceAll(".", "_")}-${Session.count}`,
      ["sh", "-c", 'cd "$1"; shift; exec "$@"', "sh", join(this.folder, "project"), ...start],
      {
        PATH: `${join(checkout, "node_modules/.bin")}:/usr/sbin:/usr/bin:/sbin:/bin`,
        HOME: this.folder,
        LANG: "C.UTF-8",
        LC_ALL: "C.UTF-8",
        TERM: "xterm-256color",
        PI_OFFLINE: "1",
        PI_CODING_AGENT_DIR: join(this.folder, "agent"),
      },
      columns,
    );
  }

  /** The chat, as the editor has told of it; empty before it was opened. */
  get text(): string {
    return this.told.textOf(this.file) ?? "";
  }

  /** All that the editor was told. */
  get heard(): string {
    const path = join(this.folder, "heard");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** How many bridges the editor has started. */
  get bridges(): number {
    return readFileSync(join(this.folder, "said"), "utf8").match(/"method":"initialize"/g)?.length ?? 0;
  }

  get saved(): string {
    try {
      return readFileSync(this.file, "utf8");
    } catch {
      // Some editors save by putting a new file in the place of the old one.
      return "";
    }
  }

  async keys(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      // In a terminal, Escape and a key that comes at once are one key.
      if (this.last === "Escape") await sleep(60);
      this.last = key;
      if (key.startsWith("wait:")) {
        await this.until(key, () => this.terminal.screen().includes(key.slice("wait:".length)));
        continue;
      }
      if (key.startsWith("heard:")) {
        await this.until(key, () => this.heard.includes(key.slice("heard:".length)));
        continue;
      }
      if (key.length > 1 && !/^((?:[CM]-)+.|Enter|Escape|Space|Down|Tab|BSpace)$/.test(key)) this.terminal.type(key);
      else this.terminal.press(key);
    }
  }

  async until(what: string, is: () => boolean, seconds?: number): Promise<void> {
    await until(`${what} in ${this.editor.name}`, is, () => this.terminal.screen(), seconds);
  }

  async hasOpened(): Promise<void> {
    await this.until("didOpen", () => this.told.textOf(this.file) !== undefined);
  }

  /** Sends the prompt that the file was opened with. The editor inserts behind it then. */
  async send(): Promise<void> {
    await this.hasOpened();
    await this.keys(this.editor.keys.insertAtEnd);
    await this.keys(this.editor.keys.send);
    await this.hasShown("## pi");
  }

  /** The editor has told of a text that has WORDS in it. */
  async hasShown(words: string): Promise<void> {
    await this.until(`the editor's telling of ${words}`, () => this.text.includes(words), 60);
  }

  /** The editor has told of a text without WORDS. */
  async hasLost(words: string): Promise<void> {
    await this.until(`the editor's telling that ${words} is gone`, () => !this.text.includes(words));
  }

  /** The run is over, and its last edit has been told of. */
  async hasSettled(): Promise<void> {
    await this.until("the last edit", () => this.text.includes("<!-- pi session: "), 90);
  }

  /** The run is over, whether the document shows it or not. */
  async hasEnded(): Promise<void> {
    await this.until("the end of the run", () => this.heard.includes('"kind":"end"'));
  }

  /** A tool of the script that waits for NAME ends. */
  release(name: string): void {
    writeFileSync(join(this.folder, "project", name), "");
  }

  /** From here on the file is the chat that the bridge has made. */
  async useChatOfBridge(): Promise<void> {
    const folders = [".local/state/pi-language-server/chats", "project/.pi/chats"];
    const made = () =>
      folders.flatMap((folder) => {
        const path = join(this.folder, folder);
        const names = existsSync(path) ? readdirSync(path) : [];
        return names.flatMap((name) => (name.endsWith(".pi.md") ? [join(path, name)] : []));
      });
    await this.until("the chat's file", () => made().length > 0);
    this.file = made()[0] ?? "";
    await this.hasOpened();
  }

  /** Saves the document, when it has WORDS in it. @returns the file, which is what the editor has told of then */
  async save(words: string): Promise<string> {
    await this.keys(this.editor.keys.leave);
    await this.keys(this.editor.keys.save);
    const same = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
    await this.until(
      `a saved file with ${words}`,
      () => this.saved.includes(words) && same(this.saved) === same(this.text),
    );
    return this.saved;
  }

  end(): void {
    this.terminal.end();
    if (process.env.PI_KEEP) console.log(`kept: ${this.folder}`);
    else rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A session that ends with what is done in it, however that ends. */
export async function inSession(
  editor: EditorUnderTest,
  text: string,
  run: (session: Session) => Promise<void>,
  options?: SessionOptions,
): Promise<void> {
  const session = new Session(editor, text, options);
  try {
    await run(session);
  } finally {
    session.end();
  }
}
