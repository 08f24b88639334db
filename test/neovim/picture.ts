/**
 * Makes the picture in the README: a real session in a real terminal, as SVG. `node test/neovim/picture.ts [out.svg]`
 * Needs tmux beside what the tests need. Look at what it has made.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { terminalPicture } from "../support/terminal-picture.ts";
import { checkout, inRoot, neovimRoot } from "./roots.ts";

const COLUMNS = 124;
const ROWS = 36;
/** As Neovim's default colours have them. */
const PALETTE = {
  foreground: "#e0e2ea",
  background: "#14161b",
  basic: ["#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"],
};
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
  writeFileSync(out, terminalPicture(screen("-e", "-N"), COLUMNS, ROWS, PALETTE));
} finally {
  try {
    tmux("kill-server");
  } catch {
    // It did not start.
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
console.log(out);
