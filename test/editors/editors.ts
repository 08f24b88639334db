import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emacsRoot } from "../emacs/roots.ts";
import { neovimRoot, root } from "../neovim/roots.ts";

/** A stock editor: how it is set up as its page in docs/editors says, and the keys for what the scenarios do. */
export interface EditorUnderTest {
  name: string;
  root(): string;
  /** Writes the configuration below HOME, with SERVER as the words that start the bridge. @returns the words that open FILE */
  setUp(home: string, server: readonly string[], file: string): string[];
  /** Keys; text is what has more than one character and no modifier. `wait:` and words: until the screen shows them. */
  keys: {
    /** From the start to inserting at the end of the file. */
    insertAtEnd: string[];
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
    /** Ends inserting. */
    leave: string[];
    save: string[];
    /** From not inserting: opens the code actions and takes the first, or the one of that number. */
    firstAction: string[];
    secondAction: string[];
    /** From inserting: answers a question with the text below the heading. */
    answerText: string[];
    quit: string[];
  };
}

function write(home: string, name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const list = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(", ");

const neovimKeys: EditorUnderTest["keys"] = {
  insertAtEnd: ["G", "A"],
  send: ["C-g"],
  abort: ["Escape", ":PiAbort", "Enter", "i"],
  open: [":PiOpen", "Enter"],
  otherFile: "notes.md",
  lineAbove: ["Escape", ":0put ='top'", "Enter", "G", "A"],
  deleteLastLines: ["G", "?You", "Enter", "d", "G"],
  reopen: (file) => [":bd!", "Enter", `:e ${file}`, "Enter"],
  leave: ["Escape"],
  save: [":w", "Enter"],
  firstAction: [":lua vim.lsp.buf.code_action()", "Enter", "wait:Type number", "1", "Enter"],
  secondAction: [":lua vim.lsp.buf.code_action()", "Enter", "wait:Type number", "2", "Enter"],
  answerText: ["Escape", ":lua vim.lsp.buf.code_action()", "Enter", "wait:Type number", "2", "Enter"],
  quit: [":qa!", "Enter"],
};

const neovimCommands = `
vim.keymap.set({ 'n', 'i' }, '<C-g>', function()
  vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Send to pi' end })
end)
local function pi(command)
  return function()
    for _, client in ipairs(vim.lsp.get_clients({ name = 'pi' })) do
      client.request('workspace/executeCommand', { command = command }, function() end)
    end
  end
end
vim.api.nvim_create_user_command('PiAbort', pi('pi.chat.abort'), {})
vim.api.nvim_create_user_command('PiOpen', pi('pi.chat.open'), {})
`;

function neovim(version: "0.10" | "0.12"): EditorUnderTest {
  return {
    name: `nvim-${version}`,
    root: () => neovimRoot(version),
    setUp: (home, server, file) => {
      const start =
        version === "0.12"
          ? `vim.lsp.config('pi', { cmd = { ${list(server)} }, filetypes = { 'markdown' }, root_markers = { '.git' } })
vim.lsp.enable('pi')`
          : `vim.api.nvim_create_autocmd('FileType', { pattern = 'markdown', callback = function()
  vim.lsp.start({ name = 'pi', cmd = { ${list(server)} }, root_dir = vim.fs.root(0, '.git') or vim.fn.getcwd() })
end })`;
      const init = write(home, "init.lua", `${start}\n${neovimCommands}`);
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
    write(
      home,
      ".config/helix/languages.toml",
      `[language-server.pi]\ncommand = ${JSON.stringify(command)}\nargs = [${list(args)}]\n\n[[language]]\nname = "markdown"\nlanguage-servers = ["pi"]\n`,
    );
    write(
      home,
      ".config/helix/config.toml",
      `[keys.normal]\nC-g = ":lsp-workspace-command pi.chat.send"\nC-x = ":lsp-workspace-command pi.chat.abort"\nC-o = ":lsp-workspace-command pi.chat.open"\n\n[keys.insert]\nC-g = ":lsp-workspace-command pi.chat.send"\nC-x = ":lsp-workspace-command pi.chat.abort"\n\n[editor]\nauto-pairs = false\nauto-completion = false\n\n[editor.lsp]\ndisplay-inlay-hints = true\n`,
    );
    return ["hx", file];
  },
  keys: {
    insertAtEnd: ["g", "e", "A"],
    send: ["C-g"],
    abort: ["C-x"],
    open: ["C-o"],
    otherFile: "notes.md",
    lineAbove: ["Escape", "g", "g", "O", "top", "Escape", "g", "e", "A"],
    deleteLastLines: ["g", "e", "x", "k", "x", "d"],
    reopen: (file) => [":bc!", "Enter", `:o ${file}`, "Enter"],
    leave: ["Escape"],
    save: [":w", "Enter"],
    firstAction: ["Space", "a", "wait:pi: answer q1: Cancel", "Enter"],
    secondAction: ["Space", "a", "wait:pi: answer q1: Cancel", "Down", "Enter"],
    answerText: ["C-g"],
    quit: [":q!", "Enter"],
  },
};

function emacs(idleTime: boolean): EditorUnderTest {
  return {
    name: idleTime ? "emacs-30.2" : "emacs-30.2-default",
    root: () => emacsRoot("30.2"),
    setUp: (home, server, file) => {
      const init = write(
        home,
        "init.el",
        `(define-derived-mode pi-chat-mode text-mode "Pi-Chat")
(add-to-list 'auto-mode-alist '("\\\\.md\\\\'" . pi-chat-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(pi-chat-mode . (${server.map((word) => JSON.stringify(word)).join(" ")})))
  ${idleTime ? "(setq eglot-send-changes-idle-time 0)" : ""})
(add-hook 'pi-chat-mode-hook 'eglot-ensure)
(global-set-key (kbd "C-c s") (lambda () (interactive) (eglot-code-actions (point) (point) "quickfix" t)))
(global-set-key (kbd "C-c a") (lambda () (interactive) (eglot-execute (eglot-current-server) '(:title "" :command "pi.chat.abort" :arguments []))))
(global-set-key (kbd "C-c o") (lambda () (interactive) (eglot-execute (eglot-current-server) '(:title "" :command "pi.chat.open" :arguments []))))
(setq make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq-default eglot-events-buffer-config '(:size 0))
`,
      );
      return ["emacs", "-nw", "-Q", "-l", init, file];
    },
    keys: {
      insertAtEnd: ["M->"],
      send: ["C-c", "s"],
      abort: ["C-c", "a"],
      open: ["C-c", "o"],
      otherFile: "notes.md",
      lineAbove: ["M-<", "top", "Enter", "M->"],
      leave: [],
      save: ["C-x", "C-s"],
      firstAction: ["M-x", "eglot-code-actions", "Enter", "wait:Pick an action", "Enter"],
      secondAction: ["M-x", "eglot-code-actions", "Enter", "wait:Pick an action", "M-n", "M-n", "Enter"],
      answerText: ["M-x", "eglot-code-actions", "Enter", "wait:Pick an action", "M-n", "M-n", "Enter"],
      quit: ["C-x", "C-c"],
    },
  };
}

export const editors: EditorUnderTest[] = [neovim("0.12"), neovim("0.10"), helix, emacs(true), emacs(false)];
