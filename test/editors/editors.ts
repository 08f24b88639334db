import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emacsRoot } from "../emacs/roots.ts";
import { neovimRoot, root } from "../neovim/roots.ts";
import { blocksOf, withServer } from "./page.ts";

/** A stock editor: how it is set up as its page in docs/editors says, and the keys for what the scenarios do. */
export interface EditorUnderTest {
  name: string;
  root(): string;
  /** Writes the configuration below HOME, with SERVER as the words that start the bridge. @returns the words that open FILE */
  setUp(home: string, server: readonly string[], file: string): string[];
  /**
   * Keys; text is what has more than one character and no modifier. `wait:` and words: until the screen shows them; `heard:`:
   * until the editor was told them.
   */
  keys: EditorKeys;
}

/** What is optional not every editor can do, and a scenario that needs it is not for that editor. */
export interface EditorKeys {
  /** From not inserting to inserting at the end of the file. */
  insertAtEnd: string[];
  /** The same behind the last character that is no line break. */
  appendToLast: string[];
  send: string[];
  abort: string[];
  open: string[];
  /** A file that is no chat, and that the bridge is attached to all the same. */
  otherFile: string;
  /** From inserting: a new line at the top of the file, and back to where it was. */
  lineAbove?: string[];
  /** From not inserting: deletes the last line that is not empty, and what follows it. */
  deleteLastLines?: string[];
  /** From not inserting: closes the file and opens it again. */
  reopen?: (file: string) => string[];
  /** From not inserting: takes the file from the disk, and what has not been saved away. */
  reload?: string[];
  /** From not inserting: the file is to have CRLF. */
  crlf?: string[];
  /** From not inserting: takes the last change back, be it the person's or the server's. */
  undo: string[];
  /** From not inserting: deletes everything. */
  clear: string[];
  /** From not inserting: `pi.chat.rebuild`. */
  rebuild: string[];
  /** From inserting behind a part of the name of a command or file: completes it, and goes on inserting. WHOLE is the name. */
  complete: (whole: string) => string[];
  /** Ends inserting. */
  leave: string[];
  save: string[];
  /** From not inserting: opens the code actions, waits for FIRST, and takes it by Enter and nothing else, where one can. */
  firstAction: (first: string) => string[];
  /** The same, and takes the second one. */
  secondAction: (first: string) => string[];
  /** From not inserting: `pi.pick.thinking`, and chooses LEVEL, which is the one named AT in the list. */
  pickThinking?: (level: string, at: number) => string[];
  /** From inserting: answers a question with the text below the heading. */
  answerText: string[];
}

function write(home: string, name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const list = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(", ");

/** Neovim asks for a number: none means no answer. */
const neovimAction = (number: string) => () => [
  ":lua vim.lsp.buf.code_action()",
  "Enter",
  "wait:Type number",
  number,
  "Enter",
];

const neovimKeys: EditorKeys = {
  insertAtEnd: ["G", "A"],
  // Neovim 0.10 makes an empty line of a line break behind the last line.
  appendToLast: ["G", "$", ":call search('\\S', 'bcW')", "Enter", "A"],
  send: ["C-g"],
  abort: ["Escape", ":Pi chat.abort", "Enter", "i"],
  open: [":Pi chat.open", "Enter"],
  otherFile: "notes.md",
  lineAbove: ["Escape", ":0put ='top'", "Enter", "G", "A"],
  deleteLastLines: ["G", "?You", "Enter", "d", "G"],
  reopen: (file) => [":bd!", "Enter", `:e ${file}`, "Enter"],
  reload: [":e!", "Enter"],
  crlf: [":set fileformat=dos", "Enter"],
  undo: ["u"],
  clear: [":%d", "Enter"],
  rebuild: [":Pi chat.rebuild", "Enter"],
  complete: (whole) => ["C-x", "C-o", `wait:${whole}`],
  leave: ["Escape"],
  save: [":w", "Enter"],
  firstAction: neovimAction("1"),
  secondAction: neovimAction("2"),
  answerText: ["Escape", ...neovimAction("2")()],
};

function neovim(version: "0.10" | "0.12"): EditorUnderTest {
  return {
    name: `nvim-${version}`,
    root: () => neovimRoot(version),
    setUp: (home, server, file) => {
      const [newer = "", older = "", keys = ""] = blocksOf("neovim.md", "lua");
      const start = withServer(
        version === "0.12" ? newer : older,
        "{ 'pi-language-server', '--stdio' }",
        `{ ${list(server)} }`,
      );
      const init = write(home, "init.lua", `${start}${keys}`);
      return ["nvim", "--clean", "-u", init, file];
    },
    keys: neovimKeys,
  };
}

const helix: EditorUnderTest = {
  name: "helix",
  root: () =>
    root("helix-25.07", "sid", [
      "hx",
      "bash",
      "coreutils",
      "procps",
      "ncurses-base",
      "ncurses-term",
      "libc-bin",
      "libstdc++6",
      "libatomic1",
    ]),
  setUp: (home, [command, ...args], file) => {
    const [languages = "", config = ""] = blocksOf("helix.md", "toml");
    const documented = 'command = "pi-language-server"\nargs = ["--stdio"]';
    const words = `command = ${JSON.stringify(command)}\nargs = [${list(args)}]`;
    write(home, ".config/helix/languages.toml", withServer(languages, documented, words));
    // What Helix adds by itself to what is typed is not what is tested.
    const quiet = "auto-pairs = false\nauto-completion = false\n";
    write(home, ".config/helix/config.toml", config.replace("[editor.lsp]", `[editor]\n${quiet}\n[editor.lsp]`));
    return ["hx", file];
  },
  keys: {
    insertAtEnd: ["g", "e", "A"],
    appendToLast: ["g", "e", "A"],
    send: ["C-g"],
    abort: ["C-q"],
    open: ["Space", "o"],
    otherFile: "notes.md",
    lineAbove: ["Escape", "g", "g", "O", "top", "Escape", "g", "e", "A"],
    deleteLastLines: ["g", "e", "x", "k", "x", "d"],
    reopen: (file) => [":bc!", "Enter", `:o ${file}`, "Enter"],
    reload: [":reload", "Enter"],
    undo: ["u"],
    clear: ["%", "d"],
    rebuild: [":lsp-workspace-command pi.chat.rebuild", "Enter"],
    // Helix does not wait for pi, which the first request starts.
    complete: (whole) => ["C-x", `heard:"label":"${whole}"`, "C-x", `wait:${whole}`, "Tab", "Enter"],
    leave: ["Escape"],
    save: [":w", "Enter"],
    firstAction: (first) => ["Space", "a", `wait:${first}`, "Enter"],
    secondAction: (first) => ["Space", "a", `wait:${first}`, "Down", "Enter"],
    pickThinking: (level, at) => [
      ":lsp-workspace-command pi.pick.thinking",
      "Enter",
      `wait:${level}`,
      ...Array<string>(at).fill("Down"),
      "Enter",
    ],
    answerText: ["C-g"],
  },
};

const lisp = (forms: string) => ["M-:", `(progn ${forms})`, "Enter"];

function emacs(idleTime: boolean): EditorUnderTest {
  return {
    name: idleTime ? "emacs-30.2" : "emacs-30.2-default",
    root: () => emacsRoot("30.2"),
    setUp: (home, server, file) => {
      const [snippet = ""] = blocksOf("emacs.md", "elisp");
      const words = `(${server.map((word) => JSON.stringify(word)).join(" ")})`;
      const config = withServer(snippet, '("pi-language-server" "--stdio")', words);
      const own = `(add-to-list 'auto-mode-alist '("\\\\.md\\\\'" . pi-chat-mode))
(keymap-global-set "C-c r" (lambda () (interactive) (pi-chat-command "pi.chat.rebuild")))
(setq make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq-default eglot-events-buffer-config '(:size 0))
`;
      const idle = idleTime ? config : withServer(config, "(setq eglot-send-changes-idle-time 0)", "nil");
      const init = write(home, "init.el", idle + own);
      return ["emacs", "-nw", "-Q", "-l", init, file];
    },
    keys: {
      insertAtEnd: ["M->"],
      appendToLast: ["M->", "C-p", "C-e"],
      send: ["C-c", "s"],
      abort: ["C-c", "a"],
      open: ["C-c", "o"],
      otherFile: "notes.md",
      lineAbove: ["M-<", "top", "Enter", "M->"],
      deleteLastLines: lisp(
        '(goto-char (point-max)) (re-search-backward "^## You") (delete-region (point) (point-max))',
      ),
      reopen: (file) => lisp(`(set-buffer-modified-p nil) (kill-buffer) (find-file ${JSON.stringify(file)})`),
      reload: ["M-x", "revert-buffer", "Enter", "wait:(yes or no)", "yes", "Enter"],
      undo: ["C-_"],
      clear: ["C-x", "h", "C-w"],
      rebuild: ["C-c", "r"],
      complete: (whole) => ["C-M-i", `wait:${whole}`],
      leave: [],
      save: ["C-x", "C-s"],
      firstAction: () => ["M-x", "eglot-code-actions", "Enter", "wait:Pick an action", "Enter"],
      secondAction: () => ["M-x", "eglot-code-actions", "Enter", "wait:Pick an action", "M-n", "M-n", "Enter"],
      // The first choice stands there already.
      pickThinking: (level) => [
        ...["M-x", "pi-chat-command", "Enter", "wait:pi: pi.", "pick.thinking", "Enter"],
        ...["wait:Choose an option: Cancel", "C-a", "C-k", level, "Enter"],
      ],
      answerText: ["C-c", "s"],
    },
  };
}

export const editors: EditorUnderTest[] = [neovim("0.12"), neovim("0.10"), helix, emacs(true), emacs(false)];
