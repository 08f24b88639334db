/**
 * Tests the Neovim client on each Neovim that it supports: `node test/neovim/run.ts [--nvim 0.10|0.12] [--lint|--specs] [--only text] [spec …]`.
 * LAZY_NVIM: a folder with lazy.nvim, for the specs that need it; without it they say that they are left out.
 * Needs the bundle (`npm run -s bundle`), Debian, and root; see roots.ts.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkout, inRoot, type NeovimVersion, neovimRoot, toolsRoot } from "./roots.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nvim: { type: "string", multiple: true },
    only: { type: "string" },
    lint: { type: "boolean" },
    specs: { type: "boolean" },
  },
});

const versions = (values.nvim ?? ["0.10", "0.12"]) as NeovimVersion[];
const lazy = process.env.LAZY_NVIM ? resolve(process.env.LAZY_NVIM) : "";
if (lazy && !existsSync(join(lazy, "lua/lazy/init.lua")))
  throw new Error(`LAZY_NVIM: there is no lazy.nvim in ${lazy}`);
const miniTest = join(toolsRoot(), "usr/share/neovim-mini.test");
const client = join(checkout, "clients/neovim");
const specs = join(import.meta.dirname, "specs");
const LUACHECK = ["luacheck", "--no-color", "--quiet", "--config"];
let isFine = true;

if (!values.specs) {
  step("stylua", ["stylua", "--check", "-f", join(client, ".stylua.toml"), client, import.meta.dirname]);
  for (const folder of [client, import.meta.dirname])
    step(`luacheck ${folder}`, inRoot(toolsRoot(), [...LUACHECK, join(folder, ".luacheckrc"), folder]));
}
if (!values.lint) for (const version of versions) test(version);
process.exitCode = isFine ? 0 : 1;

function test(version: NeovimVersion): void {
  const names = positionals.length > 0 ? positionals : readdirSync(specs).map((file) => file.replace(/\.lua$/, ""));
  const files = names.map((name) => join(specs, `${name}.lua`));
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Error(`there is no ${missing}`);
  // Short: the name of a socket has little room.
  const scratch = mkdtempSync(join(tmpdir(), "nv-"));
  const nvim = ["nvim", "--headless", "--clean", "-u", join(import.meta.dirname, "init.lua")];
  try {
    step(`Neovim ${version}`, inRoot(neovimRoot(version), nvim, lazy ? [miniTest, lazy] : [miniTest]), {
      PATH: `${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`,
      TMPDIR: scratch,
      HOME: scratch,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      PI_CHECKOUT: checkout,
      PI_MINI_TEST: miniTest,
      PI_SPECS: files.join("\n"),
      PI_ONLY: values.only ?? "",
      LAZY_NVIM: lazy,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function step(name: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  console.log(`\n${name}`);
  const [file = "", ...args] = command;
  const { status, error } = spawnSync(file, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (error) console.error(error.message);
  if (status !== 0) isFine = false;
}
