/**
 * Makes the picture in the README: a real session in a real terminal, as SVG. `node test/emacs/picture.ts [out.svg]`
 * Look at what it has made.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { terminalPicture } from "../support/terminal-picture.ts";
import { checkout, emacsRoot, inRoot } from "./roots.ts";

const COLUMNS = 124;
const ROWS = 44;
/** As modus-vivendi has them. */
const PALETTE = {
  foreground: "#ffffff",
  background: "#000000",
  basic: ["#000000", "#ff8059", "#44bc44", "#d0bc00", "#2fafff", "#feacd0", "#00d3d0", "#ffffff"],
};
const out = process.argv[2] ?? join(checkout, "clients/emacs/session.svg");
const scratch = mkdtempSync(join(tmpdir(), "pi-ls-picture-"));
const root = emacsRoot("30.2");

function tmux(...args: string[]): string {
  const [file = "", ...words] = inRoot(root, ["tmux", "-S", join(scratch, "tmux"), ...args]);
  return execFileSync(file, words, { env: { ...process.env, TERM: "xterm-256color", LC_ALL: "C.UTF-8" } }).toString();
}

/** Waits until the screen has TEXT. */
async function shows(text: string): Promise<void> {
  const until = Date.now() + 120_000;
  while (!tmux("capture-pane", "-p").includes(text)) {
    if (Date.now() > until) throw new Error(`no ${JSON.stringify(text)} on the screen:\n${tmux("capture-pane", "-p")}`);
    await sleep(100);
  }
}

const CART = `export interface Item {
  price: number;
  quantity?: number;
}

/** What a cart costs. */
export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}
`;

const SCRIPT = [
  "think: The total adds prices only. An item has a quantity as well.",
  "say: The total leaves out **quantities**. I look at `cart.ts` first.",
  'tool: read {"path":"cart.ts"}',
  'tool: edit {"path":"cart.ts","edits":[{"oldText":"item.price;\\n  }","newText":"item.price * (item.quantity ?? 1);\\n  }"}]}',
  'tool: bash {"command":"wc -l cart.ts"}',
  "say: Done: an item without a quantity counts once. To try it:\\n\\n```js\\nconst items = [{ price: 3, quantity: 2 }];\\nconsole.log(total(items)); // 6\\n```",
  "hold",
];

/** The scripted model takes its script from the prompt; a person would just ask. So the prompt is drawn as one. */
const ASKED = "The total in @cart.ts#L7-13 ignores quantities. Can you fix that?";

function init(home: string): string {
  const file = join(scratch, "init.el");
  const text = (value: string) => JSON.stringify(value);
  const pi = join(checkout, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
  const model = ["-e", join(checkout, "src/demo/scripted-model.ts"), "--provider", "scripted", "--model", "script"];
  writeFileSync(
    file,
    `(load-theme 'modus-vivendi t)
(menu-bar-mode -1)
(setq inhibit-startup-screen t)
(setenv "HOME" ${text(home)})
(add-to-list 'load-path ${text(join(checkout, "clients/emacs"))})
(require 'pi-ls)
(setq pi-ls-program '("node" ${text(join(checkout, "dist/pi-language-server.cjs"))} "--stdio")
      pi-ls-options '(:command ["node" ${text(pi)}] :args [${model.map(text).join(" ")}]))
(advice-add 'pi-ls--show-user :around (lambda (show _ &optional entry) (funcall show ${text(ASKED)} entry)))
(defun picture-say ()
  (with-current-buffer (pi-ls--chat-buffer) (pi-ls--prompt ${text(SCRIPT.join("\n"))})))
(find-file "cart.ts")
(when (fboundp 'js-mode) (js-mode))
(pi-ls)
`,
  );
  return file;
}

try {
  const shop = join(scratch, "shop");
  const home = join(scratch, "home");
  mkdirSync(shop);
  mkdirSync(join(home, "agent"), { recursive: true });
  writeFileSync(join(shop, "cart.ts"), CART);
  const env = [
    `PATH=${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`,
    "PI_OFFLINE=1",
    `PI_CODING_AGENT_DIR=${join(home, "agent")}`,
    "COLORTERM=truecolor",
    "TERM=tmux-256color",
  ];
  const emacs = ["env", "-C", shop, ...env, "emacs", "-nw", "-Q", "-l", init(home)];
  tmux("-f", "/dev/null", "new-session", "-d", "-x", `${COLUMNS}`, "-y", `${ROWS}`, ...emacs);
  tmux("set", "-g", "status", "off");
  await shows("script · ");
  tmux("send-keys", "M-:");
  tmux("send-keys", "-l", "(picture-say)");
  tmux("send-keys", "Enter");
  await shows("// 6");
  // The person goes on, while the agent is at it.
  tmux("send-keys", "-l", "Now a test for it, in @test/cart.test.ts");
  await shows("cart.test.ts");
  await shows("● working");
  writeFileSync(out, terminalPicture(tmux("capture-pane", "-p", "-e", "-N"), COLUMNS, ROWS, PALETTE));
} finally {
  try {
    tmux("kill-server");
  } catch {
    // It did not start.
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
console.log(out);
