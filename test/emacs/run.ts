/**
 * The tests of the Emacs client, on every Emacs that it is for: `node test/emacs/run.ts [30.1|30.2] [selector]`.
 * The compiler, checkdoc and package-lint with no warning, then ERT in batch, then ERT in a frame in a terminal, where
 * keys are pressed. Needs the bundle (`npm run -s bundle`), and what roots.ts needs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, type EmacsVersion, emacsRoot, inRoot, versions } from "./roots.ts";

const client = join(checkout, "clients/emacs");
const sources = readdirSync(client)
  .filter((file) => file.endsWith(".el"))
  .map((file) => join(client, file));
const load = ["-L", client, "-L", import.meta.dirname];

/** The guess at verbs takes "the line that makes it" for a sentence that should begin with "make". */
const VERBS = "(progn (require 'checkdoc) (setq checkdoc-verb-check-experimental-flag nil))";

const BATCH = ["chat", "context", "loss", "manual", "menu", "scenario", "wire"].map((name) => `pi-ls-${name}-tests`);
const FRAME = ["pi-ls-dialog-tests", "pi-ls-wire-tests"];
/** Of the tests that run in both, those in which what is on the screen matters. */
const IN_FRAME = '(or "pi-ls-dialog" "flood" "code" "stream" "long-session" "long-line")';

/** What the tests have measured, beside what a client that discards everything takes here and now. */
const FIGURES = /^(flood|code|stream|append|line|\d+ messages): .*$/gm;

/** Where Emacs writes what it writes, such as natively compiled files. */
const home = mkdtempSync(join(tmpdir(), "pi-ls-home-"));

const [version, selector = "t"] = process.argv.slice(2);
let failed = false;
try {
  for (const each of version ? [version as EmacsVersion] : versions) test(each);
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

function test(version: EmacsVersion): void {
  const scratch = mkdtempSync(join(tmpdir(), "pi-ls-run-"));
  try {
    if (selector === "t") {
      check(version, "compile", compile(version, scratch));
      check(version, "checkdoc", checkdoc(version));
      check(version, "package-lint", packageLint(version));
    }
    check(version, "batch", batch(version));
    check(version, "frame", frame(version, scratch));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Outcome {
  ok: boolean;
  text: string;
}

function check(version: string, what: string, { ok, text }: Outcome): void {
  const summary = /^Ran .*$/m.exec(text)?.[0] ?? "";
  console.log(`Emacs ${version} ${what}: ${ok ? "ok" : "FAILED"} ${summary}`);
  if (!ok) console.log(text);
  else for (const line of text.match(FIGURES) ?? []) console.log(`  ${line}`);
  failed ||= !ok;
}

function compile(version: EmacsVersion, scratch: string): Outcome {
  const there = `(lambda (file) (expand-file-name (concat (file-name-nondirectory file) "c") "${scratch}"))`;
  return emacs(version, [
    ...load,
    "--eval",
    `(setq byte-compile-error-on-warn t byte-compile-dest-file-function ${there})`,
    "-f",
    "batch-byte-compile",
    ...sources,
  ]);
}

function checkdoc(version: EmacsVersion): Outcome {
  const args = sources.flatMap((file) => ["--eval", `(checkdoc-file "${file}")`]);
  const { ok, text } = emacs(version, ["--eval", VERBS, ...args]);
  // It warns and says that all went well.
  return { ok: ok && !/^Warning/m.test(text), text };
}

function packageLint(version: EmacsVersion): Outcome {
  const { ok, text } = emacs(version, [
    "--eval",
    '(dolist (dir (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*")) (push dir load-path))',
    "--eval",
    "(require 'package-lint)",
    "--eval",
    `(setq package-lint-main-file "${join(client, "pi-ls.el")}")`,
    "-f",
    "package-lint-batch-and-exit",
    ...sources,
  ]);
  return { ok: ok && !/: (error|warning): /.test(text), text };
}

function batch(version: EmacsVersion): Outcome {
  const features = BATCH.flatMap((feature) => ["--eval", `(require '${feature})`]);
  return emacs(version, [...load, ...features, "--eval", `(ert-run-tests-batch-and-exit '${selector})`]);
}

/** tmux too runs in the root, so that the tests can press keys. */
function frame(version: EmacsVersion, scratch: string): Outcome {
  const output = join(scratch, "frame.log");
  const features = FRAME.map((feature) => `'${feature}`).join(" ");
  const which = selector === "t" ? IN_FRAME : `(and ${IN_FRAME} ${selector})`;
  const run = `(pi-ls-frame-run "${output}" '${which} ${features})`;
  // Compilers in the background would take from what is measured, and outlive a test that has started them.
  const quiet = ["--eval", "(setq native-comp-jit-compilation nil)"];
  const words = ["emacs", "-nw", "-Q", ...quiet, ...load, "-l", "pi-ls-frame", "--eval", run].map(
    (word) => `'${word.replaceAll("'", `'\\''`)}'`,
  );
  const tmux = `tmux -L pi-ls-emacs-${process.pid}`;
  const script =
    `${tmux} -f /dev/null new-session -d -x 120 -y 40 "$0; ${tmux} wait-for -S done" && ${tmux} wait-for done;` +
    `${tmux} kill-server 2>/dev/null; true`;
  inside(version, ["sh", "-c", script, words.join(" ")]);
  let text = "Emacs wrote nothing";
  try {
    text = readFileSync(output, "utf8");
  } catch {}
  return { ok: /^Ran .* 0 unexpected/m.test(text), text };
}

function emacs(version: EmacsVersion, args: readonly string[]): Outcome {
  return inside(version, ["emacs", "-Q", "--batch", ...args]);
}

function inside(version: EmacsVersion, command: readonly string[]): Outcome {
  const [file = "", ...args] = inRoot(emacsRoot(version), command);
  const PATH = `${join(checkout, "node_modules/.bin")}:/usr/bin:/bin`;
  const { TMUX: _, TMUX_PANE: __, ...outer } = process.env;
  const env = { ...outer, PATH, TERM: "xterm-256color", LC_ALL: "C.UTF-8", HOME: home };
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8", env, maxBuffer: 2 ** 26 });
  return { ok: status === 0, text: `${stdout}${stderr}` };
}
