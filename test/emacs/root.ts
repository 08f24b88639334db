/** Runs a command in a private root: `node test/emacs/root.ts 30.1|30.2 [command …]`, by default emacs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { checkout, type EmacsVersion, emacsRoot, inRoot } from "./roots.ts";

const [version = "30.2", ...command] = process.argv.slice(2);
const [file = "", ...args] = inRoot(emacsRoot(version as EmacsVersion), command.length > 0 ? command : ["emacs"]);
const PATH = `${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`;
const { status } = spawnSync(file, args, { stdio: "inherit", env: { ...process.env, PATH } });
process.exitCode = status ?? 1;
