import type { Supervisor } from "../../pi/supervisor.ts";

export interface Template {
  name: string;
  description?: string;
}

/** pi's prompt templates and skills, as far as they are known. They are learnt once for each session: they belong to its folder. */
export class Templates {
  all: readonly Template[] = [];
  private readonly pi: Supervisor;
  private readonly hooks: { isWanted(): boolean; ask(method: string, params: object): Promise<unknown> };
  private learnedFrom: string | undefined;

  constructor(pi: Supervisor, hooks: Templates["hooks"]) {
    this.pi = pi;
    this.hooks = hooks;
  }

  learn(): void {
    const { pi, hooks } = this;
    const id = pi.state.is === "ready" ? pi.status.session?.id : undefined;
    if (id === undefined || id === this.learnedFrom || !hooks.isWanted()) return;
    this.learnedFrom = id;
    hooks.ask("pi/get_commands", {}).then(
      (data) => {
        const { commands = [] } = Object(data) as { commands?: (Template & { source: string })[] };
        this.all = commands.filter(({ source }) => source === "prompt" || source === "skill");
      },
      // Without them the list is shorter.
      () => {},
    );
  }
}
