/** The roots with the Neovims that the tests run on, see test/support/debian-roots.ts. */
import { privateRoot } from "../support/debian-roots.ts";

export { checkout, inRoot } from "../support/debian-roots.ts";

export type NeovimVersion = keyof typeof suites;

/** The Debian release that has a Neovim of this version. */
const suites = { "0.10": "trixie", "0.12": "sid" } as const;

/** Beside Neovim: what the bridge's node, pi's bash and the tests' own commands need. */
const PACKAGES = [
  "neovim",
  "bash",
  "coreutils",
  "findutils",
  "sed",
  "procps",
  "git",
  "ncurses-base",
  "ncurses-term",
  "libc-bin",
  "libstdc++6",
  "libatomic1",
];

/** Pure Lua, the same for every Neovim. */
const TOOLS = ["neovim-mini.test", "lua-check"];

/** Changed when the lists above change: an old root is then not used any more. */
const EDITION = 2;

/** @returns the folder of the root, made if it is not there. */
export function neovimRoot(version: NeovimVersion): string {
  return root(`nvim-${version}`, suites[version], PACKAGES);
}

/** @returns the folder of the root with mini.test and luacheck. */
export function toolsRoot(): string {
  return root("tools", "sid", [...TOOLS, "bash", "coreutils"]);
}

export function root(name: string, suite: string, packages: readonly string[]): string {
  return privateRoot(`neovim/${name}-${EDITION}`, suite, packages);
}
