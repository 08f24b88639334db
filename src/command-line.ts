import { existsSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import pkg from "../package.json" with { type: "json" };
import { nearest } from "./bridge/nearest.ts";
import type { Flags } from "./bridge/settings.ts";
import { HELP } from "./help.ts";
import type { Launch } from "./pi/launch.ts";
import { serve } from "./serve.ts";
import { TraceFile } from "./trace/file.ts";
import { replayCommand } from "./trace/replay.ts";
import { readStepsOf, type Step } from "./trace/steps.ts";

/** A wrong command line: one line on stderr, exit status 2. */
class UsageError extends Error {}

export function runCommandLine(argv: string[]): void {
  try {
    // As pi, it gets the words of a pi.
    if (argv[0] === "play") return runPlayer(argv.slice(1));
    const { words, piArgs } = split(argv);
    const { values, positionals } = parse(words);
    const [subcommand, ...rest] = positionals;
    const trace = subcommand === "replay" ? rest.shift() : undefined;
    const client = subcommand === "path" ? rest.shift() : undefined;
    if (values.help || subcommand === "help") return print(`pi-language-server ${pkg.version}: ${HELP}`);
    if (values.version || subcommand === "version") return print(`${pkg.version}\n`);
    if (values.json && subcommand !== "doctor") throw new UsageError("--json goes with doctor");
    if (rest.length > 0) throw new UsageError(`unexpected argument "${rest[0]}"`);
    if (subcommand === "schema") return whole(printSchema());
    if (subcommand === "path") return print(`${clientFolder(client)}\n`);
    const flags: Flags = {
      command: values.pi === undefined ? undefined : piCommand(values.pi),
      args: piArgs,
      cwd: values.cwd,
    };
    if (subcommand === "demo") return whole(runDemo(flags));
    if (subcommand === "doctor") return whole(runDoctor(flags, values.json === true));
    if (subcommand === "replay") return start(values, flags, replayLaunch(trace, flags));
    if (subcommand !== undefined)
      throw new UsageError(
        `unknown command "${subcommand}" (there are: schema, doctor, demo, path, replay, play; options for pi go after "--")`,
      );
    start(values, flags);
  } catch (error) {
    fail(2, usageMessage(error as Error & { code?: string }));
  }
}

function print(text: string): void {
  quietOnClosedPipe();
  process.stdout.write(text);
}

/** `| head` has seen enough: that is no error, and what is at work goes on to its end. A full disk is one. */
function quietOnClosedPipe(): void {
  let isKnown = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !isKnown) fail(1, `cannot write to stdout: ${error.message}`);
    isKnown = true;
  });
}

/** Where the package has the client for an editor: beside the folder of the executable, which may be a link. */
function clientFolder(editor: string | undefined): string {
  const folder = join(dirname(dirname(realpathSync(process.argv[1] ?? ""))), "clients", editor ?? "");
  if ((editor === "neovim" || editor === "emacs") && !existsSync(folder))
    throw new UsageError(`this installation has no folder ${folder}`);
  if (editor !== "neovim" && editor !== "emacs")
    throw new UsageError(`path takes neovim or emacs, got ${editor === undefined ? "nothing" : `"${editor}"`}`);
  return folder;
}

/** Node explains an unknown option at length, and to somebody else: pi's options go behind "--". */
function usageMessage({ code, message }: Error & { code?: string }): string {
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return message;
  const option = /'(--?[^']*)'/.exec(message)?.[1] ?? "";
  const close = nearest(option, Object.keys(OPTIONS));
  const hint = close ? `did you mean --${close}?` : "see --help.";
  return `unknown option ${option} (${hint} Options for pi go after "--".)`;
}

/** Everything behind the first `--` is pi's. */
function split(argv: string[]): { words: string[]; piArgs: string[] | undefined } {
  const at = argv.indexOf("--");
  return at === -1 ? { words: argv, piArgs: undefined } : { words: argv.slice(0, at), piArgs: argv.slice(at + 1) };
}

const OPTIONS = {
  stdio: { type: "boolean" },
  pipe: { type: "string" },
  socket: { type: "string" },
  clientProcessId: { type: "string" },
  pi: { type: "string" },
  cwd: { type: "string" },
  log: { type: "string" },
  json: { type: "boolean" },
  version: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const;

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

type Values = ReturnType<typeof parse>["values"];

function piCommand(text: string): string[] {
  if (text === "") throw new UsageError("--pi needs an executable or a JSON array of words, got nothing");
  if (!text.startsWith("[")) return [text];
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    words = undefined;
  }
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string")) return words;
  throw new UsageError(`--pi must be an executable or a JSON array of strings, got ${text}`);
}

function number(name: string, text: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0 && value <= max) return value;
  throw new UsageError(`${name} must be a number from 1 to ${max}, got "${text}"`);
}

/** Nothing that chooses a pi or a session counts: the trace has both. */
function replayLaunch(trace: string | undefined, flags: Flags): Partial<Launch> {
  if (trace === undefined) throw new UsageError("replay needs the file to replay");
  if (flags.command || flags.args) throw new UsageError("replay runs no pi: leave out --pi and what follows --");
  if (stepsOf("replay", trace).every((steps) => steps.length === 0))
    throw new UsageError(`replay: there is nothing to play in ${trace}`);
  const command = replayCommand(trace);
  return { command, args: [], session: undefined, name: undefined, trust: undefined, remoteShell: false };
}

function start(values: Values, flags: Flags, launch?: Partial<Launch>): void {
  const transports = [
    values.stdio && "--stdio",
    values.pipe !== undefined && "--pipe",
    values.socket !== undefined && "--socket",
  ];
  if (values.pipe === "") throw new UsageError("--pipe needs the path of the editor's listener, got nothing");
  const chosen = transports.filter((name) => typeof name === "string");
  if (chosen.length > 1) throw new UsageError(`${chosen.join(" and ")} cannot be used together`);
  const clientProcessId =
    values.clientProcessId === undefined ? undefined : number("--clientProcessId", values.clientProcessId, 2 ** 31);
  const port = values.socket === undefined ? undefined : number("--socket", values.socket, 65535);
  let traceFile: TraceFile | undefined;
  if (values.log !== undefined) {
    try {
      traceFile = new TraceFile(values.log, process.env, {
        ended: (reason) => process.stderr.write(`pi-language-server: the log ends here: ${reason}\n`),
      });
    } catch (error) {
      throw new UsageError(`--log: ${(error as Error).message}`);
    }
  }
  const run = (input: Readable, output: Writable) => {
    const server = serve({
      input,
      output,
      version: pkg.version,
      flags,
      launch,
      env: process.env,
      traceFile,
      clientProcessId,
      ended: (code, reason) => {
        if (reason) process.stderr.write(`pi-language-server: ${reason}\n`);
        process.exit(code);
      },
    });
    process.on("uncaughtException", (error) => {
      const reason = `internal error, please report it: ${error.stack}`;
      if (server.end(70, reason)) return;
      // The end itself has failed: nothing may hold it up any longer.
      process.stderr.write(`pi-language-server: ${reason}\n`);
      process.exit(70);
    });
    process.on("SIGTERM", () => server.end(143));
    process.on("SIGINT", () => server.end(130));
    process.on("SIGHUP", () => server.end(129));
  };
  const path = values.pipe ?? port;
  if (path === undefined) {
    // Somebody who has typed the name to see what it does.
    if (process.stdin.isTTY)
      process.stderr.write("pi-language-server: waiting for JSON-RPC on stdin, as an editor sends it; see --help.\n");
    return run(process.stdin, process.stdout);
  }
  // An editor that has closed its end may still read: it gets its answers.
  const to = typeof path === "number" ? { port: path, host: "127.0.0.1" } : { path };
  const socket = connect({ ...to, allowHalfOpen: true });
  socket.once("connect", () => {
    socket.removeAllListeners("error");
    run(socket, socket);
  });
  socket.once("error", (error) => fail(1, `cannot connect to the editor: ${error.message}`));
}

async function printSchema(): Promise<void> {
  const { openrpcDocument } = await import("./protocol/openrpc.ts");
  process.stdout.write(`${JSON.stringify(openrpcDocument(pkg.version), undefined, 2)}\n`);
}

async function runDoctor(flags: Flags, json: boolean): Promise<void> {
  const { doctor } = await import("./doctor/doctor.ts");
  process.exitCode = (await doctor(flags, pkg.version, { json })) || process.exitCode;
}

function runPlayer([file, ...words]: string[]): void {
  if (file === undefined) throw new UsageError("play needs the file to play");
  const at = words.indexOf("--journal");
  const options = { journal: at === -1 ? undefined : words[at + 1], strict: words.includes("--strict") };
  const starts = stepsOf("play", file);
  whole(import("./trace/play.ts").then(({ play }) => play(starts, words, options)));
}

function stepsOf(subcommand: string, file: string): Step[][] {
  try {
    return readStepsOf(file);
  } catch (error) {
    throw new UsageError(`${subcommand}: ${(error as Error).message}`);
  }
}

async function runDemo(flags: Flags): Promise<void> {
  const { demo } = await import("./demo/demo.ts");
  process.exitCode = (await demo(flags)) || process.exitCode;
}

/** A command that is not the server: what goes wrong in it is one line, too. */
function whole(command: Promise<void>): void {
  quietOnClosedPipe();
  command.catch((error: Error) => fail(1, error.message));
}

function fail(code: number, message: string): void {
  process.stderr.write(`pi-language-server: ${message.split("\n")[0]}\n`);
  process.exitCode = code;
}
