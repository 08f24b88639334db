import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Flags } from "../bridge/settings.ts";
import { Client } from "./client.ts";
import { Narrator } from "./narrator.ts";
import { scenes } from "./scenes.ts";
import { Screen } from "./screen.ts";

/** The whole of it must be over by then; a scene that never ends is one that was not seen. */
const LIMIT_MS = 20_000;

/**
 * A scripted session with real pi, in this terminal: this executable as a child, and a little language client.
 * @returns the exit status: 0 when everything was seen.
 */
export async function demo(flags: Flags): Promise<number> {
  const screen = new Screen(process.stdout);
  const narrator = new Narrator(screen);
  const began = Date.now();
  const home = mkdtempSync(join(tmpdir(), "pi-language-server-demo-"));
  const project = join(home, "project");
  mkdirSync(project);
  const self = realpathSync(process.argv[1] ?? "");
  const client = new Client([self, ...serverArguments(self, home, flags)], privateEnvironment(home), narrator);
  const stop = () => void client.stop();
  const timer = setTimeout(stop, LIMIT_MS);
  // The terminal interrupts the whole group: the server ends by itself, and what is left here is to clear up.
  process.on("SIGINT", stop);
  process.stdout.on("error", stop);
  try {
    // A server that ends early takes the scene that is being played with it.
    await Promise.race([play(client, screen, narrator, project), client.ended]);
  } catch (error) {
    screen.text(`\n${(error as Error).message}`, "red");
  } finally {
    clearTimeout(timer);
    await client.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return summarize(screen, narrator, Date.now() - began);
}

async function play(client: Client, screen: Screen, narrator: Narrator, project: string): Promise<void> {
  for (const { title, run } of scenes) {
    screen.heading(title);
    await run({ client, screen, narrator, project });
  }
}

function serverArguments(self: string, home: string, flags: Flags): string[] {
  const [command = "pi", ...words] = flags.command ?? ["pi"];
  return [
    "--pi",
    JSON.stringify([command, ...words]),
    "--",
    ...(flags.args ?? []),
    ...["-e", scriptedModel(self), "--provider", "scripted", "--model", "script"],
    ...["--session-dir", join(home, "sessions")],
  ];
}

/** The extension lies beside the bundle; in the sources, beside this file. */
function scriptedModel(self: string): string {
  const beside = self.endsWith(".ts") ? ["demo", "scripted-model.ts"] : ["scripted-model.ts"];
  return join(dirname(self), ...beside);
}

/** pi's settings, keys and sessions are the user's: none of them is read or written here. */
function privateEnvironment(home: string): NodeJS.ProcessEnv {
  const own = { HOME: home, USERPROFILE: home, TMPDIR: home, PI_CODING_AGENT_DIR: join(home, "agent") };
  return { ...process.env, ...own, PI_OFFLINE: "1" };
}

function summarize(screen: Screen, narrator: Narrator, took: number): number {
  const { seen, missing, counts } = narrator;
  const size = `${counts.sent} messages sent, ${counts.received} received, ${(took / 1000).toFixed(1)} s`;
  screen.text("");
  if (missing.length === 0) {
    screen.paragraph(`Seen: ${seen.join(", ")} (${size}).`, "green");
    return 0;
  }
  screen.paragraph(`Seen: ${seen.join(", ") || "nothing"} (${size}).`);
  screen.paragraph(`Missing: ${missing.join(", ")}.`, "red");
  return 1;
}
