/**
 * Makes the picture in the README: a real session in a real terminal, as SVG. `node test/emacs/picture.ts [out.svg]`
 * Look at what it has made.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, emacsRoot, inRoot } from "./roots.ts";

const COLUMNS = 124;
const ROWS = 44;
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

/** What one cell looks like. */
interface Style {
  fg?: string;
  bg?: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  reverse?: boolean;
}

const BASIC = ["#000000", "#ff8059", "#44bc44", "#d0bc00", "#2fafff", "#feacd0", "#00d3d0", "#ffffff"];
const STEPS = [0, 95, 135, 175, 215, 255];

/** A colour of the palette of 256. */
function palette(index: number): string {
  if (index < 16) return BASIC[index % 8] ?? "";
  const grey = 8 + (index - 232) * 10;
  const cube = index - 16;
  const parts =
    index >= 232
      ? [grey, grey, grey]
      : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((at) => STEPS[at] ?? 0);
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function restyled(style: Style, codes: number[]): Style {
  let next = { ...style };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.reverse = true;
    else if (code === 22) next.bold = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.reverse = false;
    else if (code === 38 || code === 48) {
      const rgb = codes.slice(at + 2, at + 5).map((part) => part.toString(16).padStart(2, "0"));
      const colour = codes[at + 1] === 2 ? `#${rgb.join("")}` : palette(codes[at + 2] ?? 0);
      if (code === 38) next.fg = colour;
      else next.bg = colour;
      at += codes[at + 1] === 2 ? 4 : 2;
    } else if (code === 39) delete next.fg;
    else if (code === 49) delete next.bg;
    else if (code >= 30 && code <= 37) next.fg = palette(code - 30);
    else if (code >= 40 && code <= 47) next.bg = palette(code - 40);
    else if (code >= 90 && code <= 97) next.fg = palette(code - 90);
  }
  return next;
}

/** A terminal's text with its escape sequences as SVG: one rectangle and one text for each run of cells. */
function svg(text: string): string {
  const [width, height, left, top] = [8.4, 18, 12, 12];
  const [foreground, background] = ["#ffffff", "#000000"];
  const parts: string[] = [];
  for (const [row, line] of text.split("\n").slice(0, ROWS).entries()) {
    let style: Style = {};
    let column = 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escape sequences.
    for (const [, codes, run = ""] of line.matchAll(/\u001b\[([\d;:]*)m|([^\u001b]+)/g)) {
      if (codes !== undefined) {
        style = restyled(style, codes.split(/[;:]/).map(Number));
        continue;
      }
      const cells = [...run].length;
      const x = (left + column * width).toFixed(1);
      const y = top + row * height;
      const wide = (cells * width).toFixed(1);
      const fg = style.reverse ? (style.bg ?? background) : (style.fg ?? foreground);
      const bg = style.reverse ? (style.fg ?? foreground) : style.bg;
      if (bg && bg !== background)
        parts.push(`<rect x="${x}" y="${y}" width="${wide}" height="${height}" fill="${bg}"/>`);
      if (run.trim() !== "") {
        const looks = [
          style.bold ? ' font-weight="bold"' : "",
          style.italic ? ' font-style="italic"' : "",
          style.underline ? ' text-decoration="underline"' : "",
        ].join("");
        const escaped = run.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        parts.push(`<text x="${x}" y="${y + 13}" fill="${fg}" textLength="${wide}"${looks}>${escaped}</text>`);
      }
      column += cells;
    }
  }
  const size = [Math.ceil(COLUMNS * width + 2 * left), ROWS * height + 2 * top];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size[0]} ${size[1]}">
<rect width="100%" height="100%" rx="8" fill="${background}"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${parts.join("\n")}
</g>
</svg>
`;
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
  writeFileSync(out, svg(tmux("capture-pane", "-p", "-e", "-N")));
} finally {
  try {
    tmux("kill-server");
  } catch {
    // It did not start.
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
console.log(out);
