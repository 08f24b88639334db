import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A tmux of its own, so that nobody's sessions are touched. */
const SERVER = `pi-ls-${process.pid}`;

function tmux(...args: string[]): string {
  return execFileSync("tmux", ["-L", SERVER, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Ends every terminal: a run that is broken off leaves no editor behind. */
export function endAll(): void {
  try {
    tmux("kill-server");
  } catch {
    // There is none.
  }
}

/** One program in a terminal: what is typed into it, and what it shows. */
export class Terminal {
  private readonly name: string;

  constructor(name: string, words: readonly string[], env: Record<string, string>, columns = 100, rows = 30) {
    this.name = name;
    const settings = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-s",
      name,
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      ...settings,
      ...words,
    );
    tmux("set-option", "-g", "escape-time", "0");
  }

  /** Text, as it is. */
  type(text: string): void {
    tmux("send-keys", "-t", this.name, "-l", text);
  }

  /** Keys by their names: `Enter`, `Escape`, `C-g`. */
  press(...keys: string[]): void {
    tmux("send-keys", "-t", this.name, ...keys);
  }

  /** What is on the screen. FLAGS are those of tmux's capture-pane: `-e` for colours. */
  screen(...flags: string[]): string {
    return tmux("capture-pane", "-p", "-t", this.name, ...flags);
  }

  end(): void {
    try {
      tmux("kill-session", "-t", this.name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Waits until IS holds; what does not within the time is a failure that shows SCREEN. */
export async function until(what: string, is: () => boolean, screen: () => string, seconds = 30): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!is()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}. The screen:\n${safely(screen)}`);
    await sleep(20);
  }
}

function safely(screen: () => string): string {
  try {
    return screen();
  } catch (error) {
    return `(the terminal has ended: ${(error as Error).message})`;
  }
}
