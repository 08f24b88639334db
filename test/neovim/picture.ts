/**
 * Makes the picture in the README: a real session in a real terminal, as SVG. `node test/neovim/picture.ts [out.svg]`
 * Needs tmux beside what the tests need. Look at what it has made.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, inRoot, neovimRoot } from "./roots.ts";

const COLUMNS = 124;
const ROWS = 36;
const out = process.argv[2] ?? join(checkout, "clients/neovim/session.svg");
const scratch = mkdtempSync(join(tmpdir(), "nv-"));
const socket = join(scratch, "tmux");

const tmux = (...args: string[]) => execFileSync("tmux", ["-S", socket, ...args]).toString();
const screen = (...flags: string[]) => tmux("capture-pane", "-p", "-t", "nvim", ...flags);

/** Waits until the screen has TEXT. */
async function shows(text: string): Promise<void> {
  const until = Date.now() + 60_000;
  while (!screen().includes(text)) {
    if (Date.now() > until) throw new Error(`no ${JSON.stringify(text)} on the screen:\n${screen()}`);
    await sleep(50);
  }
}

function project(): string {
  const shop = join(scratch, "shop");
  mkdirSync(shop);
  writeFileSync(
    join(shop, "cart.lua"),
    `local M = {}

--- What a cart costs.
---@param items Item[]
function M.total(items)
  local sum = 0
  for _, item in ipairs(items) do
    sum = sum + item.price
  end
  return sum
end

return M
`,
  );
  return shop;
}

const ANSWER = [
  "pace: 4",
  "think: The total adds prices only. Each item has a quantity as well.\\nI look at the file, then I change one line.",
  "say: The total leaves out **quantities**. I look at `cart.lua` first.",
  'tool: read {"path":"cart.lua"}',
  "say: One line changes.",
  'tool: edit {"path":"cart.lua","edits":[{"oldText":"sum + item.price","newText":"sum + item.price * (item.count or 1)"}]}',
  'tool: bash {"command":"luac -p cart.lua && echo fine || true"}',
  'say: Done: an item without a `count` counts once. To try it:\\n\\n```lua\\nlocal cart = require("cart")\\nprint(cart.total({ { price = 3, count = 2 } })) -- 6\\n```',
  "hold",
  "say: More.",
];

/** The scripted model takes its script from the prompt; a person would just ask. So the prompt is drawn as one. */
const ASK = "The total in cart.lua ignores quantities. Can you fix that?";

function config(): string {
  const path = join(scratch, "init.lua");
  const pi = join(checkout, "node_modules/.bin/pi");
  const model = join(checkout, "src/demo/scripted-model.ts");
  writeFileSync(
    path,
    `vim.opt.runtimepath:append(${JSON.stringify(join(checkout, "clients/neovim"))})
vim.o.termguicolors = true
vim.o.number = true
vim.o.laststatus = 3
vim.o.ruler = false
vim.o.statusline = " %f %m%=%{v:lua.require('pi_ls').statusline()} "
require("pi_ls").setup({
  width = 0.56,
  init_options = {
    command = { ${JSON.stringify(pi)} },
    args = { "-e", ${JSON.stringify(model)}, "--provider", "scripted", "--model", "script" },
  },
})
local render = require("pi_ls.render")
local user = render.user
render.user = function(message, entry)
  local asked = vim.deepcopy(message)
  asked.content = ${JSON.stringify(ASK)}
  return user(asked, entry)
end
`,
  );
  return path;
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

const BASIC = ["#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"];

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
    else if ((code === 38 || code === 48) && codes[at + 1] === 2) {
      const colour = `#${codes
        .slice(at + 2, at + 5)
        .map((part) => part.toString(16).padStart(2, "0"))
        .join("")}`;
      if (code === 38) next.fg = colour;
      else next.bg = colour;
      at += 4;
    } else if (code === 39) delete next.fg;
    else if (code === 49) delete next.bg;
    else if (code >= 30 && code <= 37) next.fg = BASIC[code - 30] ?? "";
    else if (code >= 40 && code <= 47) next.bg = BASIC[code - 40] ?? "";
    else if (code >= 90 && code <= 97) next.fg = BASIC[code - 90] ?? "";
  }
  return next;
}

/** A terminal's text with its escape sequences as SVG: one rectangle and one text for each run of cells. */
function svg(text: string): string {
  const [width, height, left, top] = [8.4, 18, 12, 12];
  const [foreground, background] = ["#e0e2ea", "#14161b"];
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
      const fg = style.reverse ? (style.bg ?? background) : (style.fg ?? foreground);
      const bg = style.reverse ? (style.fg ?? foreground) : style.bg;
      if (bg && bg !== background)
        parts.push(
          `<rect x="${x}" y="${top + row * height}" width="${(cells * width).toFixed(1)}" height="${height}" fill="${bg}"/>`,
        );
      if (run.trim() !== "") {
        const looks = [
          style.bold ? ' font-weight="bold"' : "",
          style.italic ? ' font-style="italic"' : "",
          style.underline ? ' text-decoration="underline"' : "",
        ].join("");
        const escaped = run.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        parts.push(
          `<text x="${x}" y="${top + row * height + 13}" fill="${fg}" textLength="${(cells * width).toFixed(1)}"${looks}>${escaped}</text>`,
        );
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
  const shop = project();
  const home = join(scratch, "home");
  mkdirSync(home);
  const env = {
    HOME: home,
    PI_OFFLINE: "1",
    PATH: `${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    COLORTERM: "truecolor",
    TERM: "tmux-256color",
  };
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const nvim = ["env", "-C", shop, ...assignments, "nvim", "-n", "-u", config(), "cart.lua"];
  const size = ["-x", `${COLUMNS}`, "-y", `${ROWS}`];
  tmux("-f", "/dev/null", "new-session", "-d", "-s", "nvim", ...size, ...inRoot(neovimRoot("0.12"), nvim));
  tmux("set", "-s", "escape-time", "0");
  tmux("set", "-g", "status", "off");
  await shows("return M");
  tmux("send-keys", "-t", "nvim", ":Pi", "Enter");
  await shows("A new session with script.");
  writeFileSync(join(scratch, "ask"), ANSWER.join("\n"));
  const send = `:lua require("pi_ls").send(table.concat(vim.fn.readfile("${join(scratch, "ask")}"), "\\n"))`;
  tmux("send-keys", "-t", "nvim", "-l", send);
  tmux("send-keys", "-t", "nvim", "Enter");
  await shows("-- 6");
  // The person goes on, while the agent is at it.
  tmux("send-keys", "-t", "nvim", "i");
  tmux("send-keys", "-t", "nvim", "-l", "Now a test for it, in @spec/cart_spec.lua");
  await shows("cart_spec");
  await shows("working");
  writeFileSync(out, svg(screen("-e", "-N")));
} finally {
  try {
    tmux("kill-server");
  } catch {
    // It did not start.
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
console.log(out);
