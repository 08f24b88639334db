import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { styleText } from "node:util";
import { execa } from "execa";
import { ResponseError } from "vscode-jsonrpc/node";
import { type Flags, ownFolder } from "../bridge/settings.ts";
import { sessionRoot } from "../pi/agent-dir.ts";
import { elsewhere } from "../pi/elsewhere.ts";
import { PiError } from "../pi/error.ts";
import { checkFolder, findExecutable } from "../pi/executable.ts";
import { DEFAULT_LAUNCH, type Launch } from "../pi/launch.ts";
import { preflight, startWarnings } from "../pi/preflight.ts";
import { isNewer, piVersion } from "../pi/version.ts";
import { PI_VERSION } from "../protocol/versions.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { roundTrip } from "./round-trip.ts";

const OLDEST_PI = "0.84.0";
/** The checks without which pi is not started. */
const STARTS_WITH = ["pi", "folder", "session"];

/**
 * Looks at everything that pi needs in order to run behind the bridge, in the order in which it would fail.
 * @returns the exit status: 0 when nothing fails.
 */
export async function doctor(flags: Flags, version: string, options: { json: boolean }): Promise<number> {
  const launch: Launch = {
    ...DEFAULT_LAUNCH,
    cwd: resolve(ownFolder(), flags.cwd ?? ""),
    ...(flags.command && { command: flags.command }),
    ...(flags.args && { args: flags.args }),
  };
  const checks: Check[] = [];
  const report = (check: Check) => {
    checks.push(check);
    if (!options.json) process.stdout.write(render(check));
  };
  report(ok("bridge", `pi-language-server ${version}, Node ${process.versions.node}`));
  report(await nodeForPi());
  report(await piCommand(launch));
  for (const check of [folder(launch), session(launch), trust(launch), sessions(launch)]) if (check) report(check);
  if (checks.some(({ name, status }) => status === "fail" && STARTS_WITH.includes(name)))
    report(fail("round trip", "not tried", "Mend the above first."));
  else for await (const check of conversation(flags, version)) report(check);
  const isFine = checks.every((check) => check.status !== "fail");
  if (options.json) process.stdout.write(`${JSON.stringify({ ok: isFine, checks }, undefined, 2)}\n`);
  else process.stdout.write(isFine ? "Everything that pi needs is there.\n" : "pi cannot be used yet.\n");
  return isFine ? 0 : 1;
}

function render({ name, status, found, hint }: Check): string {
  const colour = { ok: "green", warn: "yellow", fail: "red" } as const;
  const mark = styleText(colour[status], status.padEnd(4));
  const lines = [`${mark}  ${name.padEnd(10)}  ${found}`, ...(hint ? [`${" ".repeat(18)}→ ${hint}`] : [])];
  return `${lines.join("\n")}\n`;
}

/** pi's script asks the PATH for its Node, which need not be the one that runs the bridge. */
async function nodeForPi(): Promise<Check> {
  const { stdout, failed } = await execa("node", ["--version"], { reject: false, timeout: 10_000 });
  const found = String(stdout ?? "").replace(/^v/, "");
  if (failed || found === "")
    return warn("node", "there is no node on the PATH", "A pi that was installed with npm needs one. Extend the PATH.");
  if (isNewer("22.19.0", found))
    return fail("node", `Node ${found} is first on the PATH`, "pi needs Node 22.19 or newer: put a newer one first.");
  return ok("node", `Node ${found} is first on the PATH`);
}

async function piCommand(launch: Launch): Promise<Check> {
  let file: string;
  try {
    file = findExecutable(launch, process.env);
  } catch (error) {
    return failure("pi", error);
  }
  const how = launch.command[0] === file ? "as named by --pi" : `found as "${launch.command[0]}" on the PATH`;
  const command = [file, ...launch.command.slice(1)];
  const version = await piVersion(command, process.env, new AbortController().signal);
  const found = `${file} (${how}), ${version ? `version ${version}` : "version unknown"}`;
  if (version && isNewer(OLDEST_PI, version))
    return warn("pi", found, `This bridge was tested with pi ${OLDEST_PI} to ${PI_VERSION}. Update pi.`);
  return ok("pi", found);
}

function folder(launch: Launch): Check {
  try {
    checkFolder(launch);
    return ok("folder", launch.cwd);
  } catch (error) {
    return failure("folder", error);
  }
}

/** Only what is wrong with the session that pi's own words name. */
function session(launch: Launch): Check | undefined {
  try {
    preflight(launch, process.env);
    return undefined;
  } catch (error) {
    return failure("session", error);
  }
}

function trust(launch: Launch): Check {
  if (elsewhere(launch) !== undefined) return ok("trust", "not looked at: pi's files are elsewhere");
  const [warning] = startWarnings(launch, process.env).filter(
    ({ data }) => "reason" in data && data.reason === "untrusted",
  );
  if (!warning) return ok("trust", "nothing of this project is left out");
  return warn("trust", warning.message, hintOf(warning) ?? "");
}

function sessions(launch: Launch): Check {
  if (elsewhere(launch) !== undefined) return ok("sessions", "not looked at: pi's files are elsewhere");
  if (launch.args.includes("--no-session"))
    return warn(
      "sessions",
      "kept in memory only (--no-session)",
      "A crash of pi loses the conversation. Leave the flag out.",
    );
  const root = sessionRoot(launch, process.env);
  let nearest = root;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error("not a folder");
    accessSync(nearest, constants.W_OK);
  } catch {
    return fail(
      "sessions",
      `${nearest} is no folder that can be written`,
      "pi cannot keep the conversation. Mend the permissions, or set --session-dir.",
    );
  }
  return ok("sessions", nearest === root ? root : `${root} (will be made)`);
}

/** Everything that only a running pi can tell. */
async function* conversation(flags: Flags, version: string): AsyncGenerator<Check> {
  const begin = performance.now();
  try {
    const { models, state } = await roundTrip(flags, version, async (editor) => ({
      models: await editor.sendRequest<{ models: { provider: string }[] }>("pi/get_available_models", {}),
      state: await editor.sendRequest<{ model?: { provider: string; id: string } }>("bridge/state", {}),
    }));
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    yield ok("round trip", `pi started, answered through the bridge and ended within ${seconds} s`);
    const providers = new Set(models.models.map(({ provider }) => provider));
    if (models.models.length === 0)
      yield fail(
        "models",
        "none is available",
        "Log in once in pi's own terminal (pi, then /login), or set a provider's API key in the editor's environment.",
      );
    else {
      const current = state.model ? `; in use: ${state.model.provider}/${state.model.id}` : "";
      yield ok("models", `${models.models.length} from ${[...providers].join(", ")}${current}`);
    }
  } catch (error) {
    yield failure("round trip", error);
  }
}

function failure(name: string, error: unknown): Check {
  const { message } = error as Error;
  return fail(name, message.split("\n")[0] ?? message, hintOf(error) ?? "Run pi in a terminal to see the same.");
}

function hintOf(error: unknown): string | undefined {
  const data =
    error instanceof PiError || error instanceof ResponseError ? (error.data as { hint?: string }) : undefined;
  return data?.hint;
}
