/**
 * Makes the picture of Helix: a conversation with stock Helix and the real pi, whose model is scripted, in a real terminal.
 * `node test/editors/picture.ts [out.svg]`. Needs what run.ts needs. Look at what it has made.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, inRoot } from "../neovim/roots.ts";
import { terminalPicture } from "../support/terminal-picture.ts";
import { editors } from "./editors.ts";
import { endAll, Terminal, until } from "./terminal.ts";

const [COLUMNS, ROWS] = [108, 47];
const out = process.argv[2] ?? join(checkout, "docs/editors/helix.svg");
// Helix's own theme.
const PALETTE = {
  foreground: "#a4a0e8",
  background: "#3b224c",
  basic: ["#281733", "#f47868", "#9ff28f", "#efba5d", "#a4a0e8", "#dbbfef", "#5a5977", "#ffffff"],
};

const ASK = "The total in cart.js leaves quantities out. Fix it, and deploy when the test passes.";
const NEXT = "Then tell the others what has changed.";

/** What the model does. A person just asks: an extension makes the script of it, so that the chat shows the question. */
const SCRIPT = [
  "think: The total adds prices only. Each item has a quantity as well.",
  'tool: read {"path":"cart.js"}',
  "say: One line changes.",
  'tool: edit {"path":"cart.js","edits":[{"oldText":"sum + item.price","newText":"sum + item.price * (item.count ?? 1)"}]}',
  'tool: bash {"command":"node --test"}',
  "say: An item without a `count` counts once. The test passes.",
  'tool: ask {"title":"Deploy to which system?","options":["staging","production"]}',
  "say: Deployed.",
].join("\n");

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-ls-hx-")));
const shop = join(folder, "shop");
const file = (path: string, text: string) => {
  writeFileSync(join(folder, path), text);
  return join(folder, path);
};

try {
  for (const name of ["shop/.git", "agent", "sessions"]) mkdirSync(join(folder, name), { recursive: true });
  file(
    "shop/cart.js",
    "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n",
  );
  file(
    "shop/cart.test.js",
    'import { equal } from "node:assert";\nimport { total } from "./cart.js";\nequal(total([{ price: 3, count: 2 }]), 6);\n',
  );
  file("shop/package.json", '{"type":"module"}\n');
  const chat = file("shop/cart.pi.md", `# pi: shop\n\n## You\n\n${ASK}\n`);
  const ask = file(
    "ask.ts",
    `export default (pi) => pi.on("input", () => ({ action: "transform", text: ${JSON.stringify(SCRIPT)} }));\n`,
  );
  const node = join(checkout, "node_modules/.bin/node");
  const pi = join(checkout, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
  const model = join(checkout, "src/demo/scripted-model.ts");
  const server = [node, join(import.meta.dirname, "tap.ts"), folder, "--pi", JSON.stringify([node, pi])];
  server.push("--", "-e", model, "-e", ask, "--provider", "scripted", "--model", "script");
  const helix = editors.find(({ name }) => name === "helix");
  if (!helix) throw new Error("there is no Helix among the editors");
  const env = {
    PATH: `${join(checkout, "node_modules/.bin")}:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: folder,
    LC_ALL: "C.UTF-8",
    TERM: "tmux-256color",
    COLORTERM: "truecolor",
    PI_OFFLINE: "1",
    PI_CODING_AGENT_DIR: join(folder, "agent"),
  };
  const words = inRoot(helix.root(), helix.setUp(folder, server, chat));
  const terminal = new Terminal("picture", ["env", "-C", shop, ...words], env, COLUMNS, ROWS);
  const shows = (text: string) =>
    until(
      `${text} on the screen`,
      () => terminal.screen().includes(text),
      () => terminal.screen(),
      60,
    );
  const said = join(folder, "said");
  await until(
    "didOpen",
    () => existsSync(said) && readFileSync(said, "utf8").includes("textDocument/didOpen"),
    () => terminal.screen(),
  );
  terminal.press("C-g");
  await shows("pi asks");
  terminal.press("g", "e");
  terminal.press("A");
  terminal.type(NEXT);
  await shows(NEXT);
  // Helix asks for the hint again when no key has come for a while.
  await shows("script ·");
  terminal.press("Escape");
  await until(
    "the end of inserting",
    () => terminal.screen().includes("NOR"),
    () => terminal.screen(),
  );
  terminal.press("Space");
  terminal.press("a");
  await shows("pi: answer q1: Cancel");
  terminal.press("Down");
  writeFileSync(out, terminalPicture(terminal.screen("-e", "-N"), COLUMNS, ROWS, PALETTE));
  console.log(out);
} finally {
  endAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
