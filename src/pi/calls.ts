import type { CommandSpec } from "../protocol/commands.ts";
import type { Outgoing } from "./outbox.ts";

/**
 * pi answers a message when it has taken it in: at once, or when it has renewed its login. But what an extension does with it
 * may take as long as a person.
 */
const TURN_MS = 5000;
/** An extension's command is answered only when it is over, and a prompt template cannot be told from it. */
const COMMAND_TURN_MS = 1000;

/** One command and its one answer. */
export class Call implements Outgoing {
  readonly id: string;
  readonly command: string;
  readonly line: string;
  readonly spec: CommandSpec | undefined;
  /** The text that a person typed, so that it can be given back when pi dies before it has acknowledged it. */
  readonly typed: string | undefined;
  readonly order: CommandSpec["order"];
  readonly drops: CommandSpec["drops"];
  readonly turnMs: number | undefined;
  /** Asked by the bridge, not by the editor. */
  readonly isOwn: boolean;
  /** The response's `data`, as bytes; undefined when pi sent none. */
  readonly answer: Promise<Buffer | undefined>;
  private settled = false;
  private readonly settle: { resolve(data: Buffer | undefined): void; reject(error: Error): void };
  private readonly hooks: { written(call: Call): void; dropped(call: Call, by: string): void };

  constructor(
    fields: Pick<Call, "id" | "command" | "line" | "spec" | "typed" | "drops" | "isOwn">,
    hooks: { written(call: Call): void; dropped(call: Call, by: string): void },
  ) {
    this.id = fields.id;
    this.command = fields.command;
    this.line = fields.line;
    this.spec = fields.spec;
    this.typed = fields.typed;
    this.drops = fields.drops;
    this.isOwn = fields.isOwn;
    this.order = fields.spec?.order;
    const turnMs = this.typed?.startsWith("/") ? COMMAND_TURN_MS : TURN_MS;
    this.turnMs = this.order === "in_turn" ? turnMs : undefined;
    this.hooks = hooks;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
    // Some calls are the bridge's own, and nobody looks at their failure.
    promise.catch(() => {});
    this.answer = promise;
    this.settle = { resolve, reject };
  }

  written(): void {
    this.hooks.written(this);
  }

  dropped(by: string): void {
    this.hooks.dropped(this, by);
  }

  /** False when the call had its answer before: a late one is dropped. */
  resolve(data: Buffer | undefined): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.settle.resolve(data);
    return true;
  }

  reject(error: Error): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.settle.reject(error);
    return true;
  }
}
