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

const node = join(checkout, "node_modules/.bin/node");
const pi = join(checkout, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
const scripted = join(checkout, "src/demo/scripted-model.ts");

/** One editor with one chat document and the real pi, whose model is scripted. */
export class Session {
  readonly editor: EditorUnderTest;
  readonly folder: string;
  file: string;
  readonly terminal: Terminal;
  private last = "";
  private static count = 0;

  /** @param name of the file that is opened, in the project */
  constructor(editor: EditorUnderTest, text: string, columns?: number, name = "chat.pi.md") {
    this.editor = editor;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-ls-ed-")));
    for (const name of ["project/.git", "agent", "sessions"]) mkdirSync(join(this.folder, name), { recursive: true });
    this.file = join(this.folder, "project", name);
    writeFileSync(this.file, text);
    const words = [node, pi];
    const model = ["-e", scripted, "--provider", "scripted", "--model", "script"];
    const server = [
      node,
      join(import.meta.dirname, "tap.ts"),
      this.folder,
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

  get said(): string {
    return this.read("said");
  }

  get heard(): string {
    return this.read("heard");
  }

  get saved(): string {
    // Some editors save by putting a new file in the place of the old one.
    return existsSync(this.file) ? readFileSync(this.file, "utf8") : "";
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
      if (key.length > 1 && !/^([CM]-.|Enter|Escape|Space|Down|Tab|BSpace)$/.test(key)) this.terminal.type(key);
      else this.terminal.press(key);
    }
  }

  async until(what: string, is: () => boolean, seconds?: number): Promise<void> {
    await until(`${what} in ${this.editor.name}`, is, () => this.terminal.screen(), seconds);
  }

  async hasOpened(): Promise<void> {
    await this.until("didOpen", () => this.said.includes("didOpen"));
  }

  /** The editor has told of a text that has WORDS in it. */
  async hasShown(words: string): Promise<void> {
    const escaped = JSON.stringify(words).slice(1, -1);
    await this.until(
      `the editor's telling of ${words}`,
      () => this.said.slice(this.said.indexOf("didOpen")).includes(escaped),
      60,
    );
  }

  /** The run is over, and its last edit has been told of. */
  async hasSettled(): Promise<void> {
    await this.until("the last edit", () => this.said.includes("<!-- pi session: "), 90);
  }

  /** From here on the file is the chat that the bridge has made. */
  useChatOfBridge(): void {
    const folders = [".local/state/pi-language-server/chats", "project/.pi/chats"];
    const chats = folders.map((folder) => join(this.folder, folder)).find(existsSync) ?? "";
    const [name = ""] = readdirSync(chats);
    this.file = join(chats, name);
  }

  async save(words: string): Promise<string> {
    await this.keys(this.editor.keys.leave);
    await this.keys(this.editor.keys.save);
    await this.until(`a saved file with ${words}`, () => this.saved.includes(words));
    return this.saved;
  }

  end(): void {
    this.terminal.end();
    if (process.env.PI_KEEP) console.log(`kept: ${this.folder}`);
    else rmSync(this.folder, { recursive: true, force: true });
  }

  private read(name: string): string {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }
}
