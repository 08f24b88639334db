import type { Supervisor } from "../../pi/supervisor.ts";
import { Cached } from "./cached.ts";
import { fold, nameRank } from "./rank.ts";

/** How long the list is taken for the present one. Nothing tells that an extension has reloaded pi's resources. */
const FRESH_MS = 5000;
/**
 * How long an answer may wait, in milliseconds: for the first list, which may have to wait for pi's start, and for a
 * newer one.
 */
const PATIENCE = { first: 5000, next: 300 };

/** What `/name` at the start of a prompt runs. */
export interface PiCommand {
  name: string;
  description?: string;
  source: "extension" | "prompt" | "skill";
}

/** pi's commands, prompt templates and skills. */
export class PiCommands {
  private readonly pi: Supervisor;
  private readonly list = new Cached(() => this.ask(), FRESH_MS);
  /** The process and the session that the list is of. */
  private of: string | undefined;

  constructor(pi: Supervisor) {
    this.pi = pi;
  }

  /**
   * What fits best, best first. Who types `/` is about to use pi: it is started here if it was not yet, but not again
   * when it could not be.
   */
  async find(query: string): Promise<PiCommand[]> {
    if (this.pi.state.is === "stopped") this.pi.start();
    if (this.of !== undefined && this.of !== this.present()) this.list.drop();
    const commands = this.pi.state.is === "failed" ? [] : ((await this.list.read(PATIENCE)) ?? []);
    const wanted = fold(query);
    return commands
      .flatMap((command) => {
        const rank = commandRank(fold(command.name), wanted);
        return rank === undefined ? [] : [{ command, rank }];
      })
      .sort((a, b) => a.rank - b.rank)
      .map(({ command }) => command);
  }

  private async ask(): Promise<PiCommand[]> {
    const { commands } = (await this.pi.ask("get_commands")) as { commands?: unknown };
    this.of = this.present();
    return Array.isArray(commands) ? commands.filter((command) => typeof Object(command).name === "string") : [];
  }

  private present(): string {
    return `${this.pi.restarts} ${this.pi.status.session?.id}`;
  }
}

/** A skill is found by its bare name, too: `/rev` fits `skill:review`. */
function commandRank(name: string, query: string): number | undefined {
  const bare = name.startsWith("skill:") ? nameRank(name, "skill:".length, query) : undefined;
  const whole = nameRank(name, 0, query);
  return bare === undefined || whole === undefined ? (bare ?? whole) : Math.min(bare, whole);
}
