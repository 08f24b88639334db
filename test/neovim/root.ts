/** Runs a command in a private root: `node test/neovim/root.ts 0.10|0.12|tools [command …]`, by default nvim. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { checkout, inRoot, type NeovimVersion, neovimRoot, toolsRoot } from "./roots.ts";

const [name = "0.12", ...command] = process.argv.slice(2);
const root = name === "tools" ? toolsRoot() : neovimRoot(name as NeovimVersion);
const [file = "", ...args] = inRoot(
  root,
  command.length > 0 ? command : ["nvim"],
  name === "tools" ? [] : [join(toolsRoot(), "usr/share/neovim-mini.test")],
);
const PATH = `${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`;
const { status } = spawnSync(file, args, { stdio: "inherit", env: { ...process.env, PATH } });
process.exitCode = status ?? 1;
