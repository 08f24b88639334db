import { statSync } from "node:fs";
import { parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_LAUNCH, type Launch } from "../pi/launch.ts";
import { type Options, options as optionsSchema, type PiOptIn, piOptIn } from "../protocol/options.ts";
import { nearest } from "./nearest.ts";
import { byName } from "./params.ts";
import { checked } from "./validate.ts";

/** What the command line says. The client's options come before it. */
export interface Flags {
  command?: string[] | undefined;
  args?: string[] | undefined;
  cwd?: string | undefined;
}

export interface Settings {
  launch: Launch;
  optIn: PiOptIn;
  executeCommand: boolean;
  warnings: string[];
}

/** The parts of `initialize` that are read here. */
export interface InitializeParams {
  workspaceFolders?: { uri?: unknown }[] | null;
  rootUri?: unknown;
  rootPath?: unknown;
  capabilities?: { experimental?: { pi?: unknown } | null } | null;
  initializationOptions?: unknown;
}

/** Puts together the flags and what the client asks for. Throws the error answer that names a wrong value. */
export function readSettings(params: InitializeParams, flags: Flags): Settings {
  const warnings: string[] = [];
  const options = readOptions(params.initializationOptions, warnings);
  const capability = readOptIn(params.capabilities?.experimental?.pi, "capabilities.experimental.pi");
  const { command, args, env, session, name, trust, remoteShell, startTimeoutMs, maxCommandBytes, shrinkImages } =
    options;
  return {
    launch: {
      ...DEFAULT_LAUNCH,
      ...(flags.command && { command: flags.command }),
      ...(flags.args && { args: flags.args }),
      ...(command && { command }),
      ...(args && { args }),
      ...(env && { env }),
      ...(session && { session }),
      ...(name !== undefined && { name }),
      ...(trust && { trust }),
      ...(remoteShell !== undefined && { remoteShell }),
      ...(startTimeoutMs !== undefined && { startTimeoutMs }),
      ...(maxCommandBytes !== undefined && { maxCommandBytes }),
      ...(shrinkImages !== undefined && { shrinkImages }),
      cwd: workingDirectory(params, options.cwd ?? flags.cwd, warnings),
    },
    optIn: { ...capability, ...options.pi },
    executeCommand: options.executeCommand ?? true,
    warnings,
  };
}

/** The opt-in by itself, as `workspace/didChangeConfiguration` carries it. */
export function readOptIn(value: unknown, what: string): PiOptIn {
  if (value === undefined || value === null) return {};
  return checked(piOptIn(), byName(value), what, "it");
}

function readOptions(value: unknown, warnings: string[]): Options {
  const object = byName(value);
  const options = checked(optionsSchema(), object, "initializationOptions", "it");
  const known = Object.keys(optionsSchema().shape);
  for (const key of Object.keys(object as object).filter((name) => !known.includes(name))) {
    const close = nearest(key, known);
    warnings.push(`initializationOptions: unknown key "${key}"${close ? ` (did you mean "${close}"?)` : ""}, ignored.`);
  }
  return options;
}

function workingDirectory(params: InitializeParams, chosen: string | undefined, warnings: string[]): string {
  if (chosen !== undefined) return resolve(ownFolder(), chosen);
  const folders = Array.isArray(params.workspaceFolders) ? params.workspaceFolders.map((folder) => folder?.uri) : [];
  for (const uri of [...folders, params.rootUri, params.rootPath]) {
    if (typeof uri !== "string") continue;
    const folder = folderOf(uri);
    if (folder === undefined) continue;
    if (folder === parse(folder).root)
      warnings.push(`The workspace folder ${uri} is the root of the disk: passed over.`);
    else if (!isFolder(folder)) warnings.push(`The workspace folder ${uri} is not a folder here: passed over.`);
    else return folder;
  }
  return ownFolder();
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The bridge's own working directory. It may have been deleted; then it is a folder that does not exist, as others may not. */
export function ownFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? parse(process.execPath).root;
  }
}

function folderOf(uri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(uri)) return uri === "" ? undefined : resolve(ownFolder(), uri);
  if (!/^file:/i.test(uri)) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
