/** The roots with the Emacs versions that the tests run on, see test/support/debian-roots.ts. */
import { privateRoot } from "../support/debian-roots.ts";

export { checkout, inRoot } from "../support/debian-roots.ts";

export type EmacsVersion = keyof typeof suites;

/** The Debian release that has an Emacs of this version. */
const suites = { "30.1": "trixie", "30.2": "sid" } as const;

export const versions = Object.keys(suites) as EmacsVersion[];

/** Beside Emacs: what the bridge's node, pi's bash and the tests' own commands need, and the linter of packages. */
const PACKAGES = [
  "emacs-nox",
  "elpa-package-lint",
  "bash",
  "coreutils",
  "diffutils",
  "findutils",
  "sed",
  "procps",
  "tmux",
  "git",
  "ncurses-base",
  "ncurses-term",
  "libc-bin",
  "libstdc++6",
  "libatomic1",
];

/** Changed when the list above changes: an old root is then not used any more. */
const EDITION = 2;

/** @returns the folder of the root, made if it is not there. */
export function emacsRoot(version: EmacsVersion): string {
  return privateRoot(`emacs/emacs-${version}-${EDITION}`, suites[version], PACKAGES);
}
