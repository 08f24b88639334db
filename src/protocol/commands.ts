import type * as z from "zod";
import { bash } from "./commands/bash.ts";
import { compaction } from "./commands/compaction.ts";
import { discovery } from "./commands/discovery.ts";
import { model } from "./commands/model.ts";
import { prompting } from "./commands/prompting.ts";
import { queueModes } from "./commands/queue-modes.ts";
import { retry } from "./commands/retry.ts";
import { session } from "./commands/session.ts";
import { state } from "./commands/state.ts";
import { thinking } from "./commands/thinking.ts";
import { PI_VERSION } from "./versions.ts";

export { PI_VERSION };

/** What there is to know about a command of pi. Code that needs a fact about a command reads it here. */
export interface CommandSpec {
  /** One sentence for people. */
  readonly summary: string;
  /** What else a caller should know, and how versions of pi differ. */
  readonly notes?: string;
  /** The command without `id` and `type`. The order of the keys is the order of positional arguments. */
  readonly params: () => z.ZodObject;
  /** The response's `data`; `null` where pi sends none. Documentation and types only: what pi sends is never checked. */
  readonly result: () => z.ZodType;
  /** The command that `$/cancelRequest` sends. The cancelled command then still gives its own answer. */
  readonly cancel?: { readonly send: "abort" | "abort_bash" };
  /**
   * `overtakes`: is written before every waiting command. `alone`: later commands wait for its answer. `in_turn`: it waits
   * until the one of its kind before it is answered, and with it what was sent later.
   */
  readonly order?: "overtakes" | "alone" | "in_turn";
  /** Waiting commands that this one overtakes and that are then never sent: the person pressed stop. */
  readonly drops?: readonly string[];
  /** Closes the open dialogs when it is written, with this reason. Its answer may be waiting for one of them. */
  readonly closesDialogs?: "abort" | "session_replaced";
  /** After its success the session, model, thinking level or name may be another one. */
  readonly changesState?: true;
  /** Nothing comes of it without a model. */
  readonly needsModel?: true;
  /** pi answers it in the order in which it reads commands, without waiting for anything: a missing answer is a lost one. */
  readonly immediate?: true;
  readonly example: { readonly params: unknown; readonly result: unknown };
}

/** The table in the groups of pi's own documentation. */
export const commandGroups: Record<string, Record<string, CommandSpec>> = {
  Prompting: prompting,
  State: state,
  Model: model,
  Thinking: thinking,
  "Queue modes": queueModes,
  Compaction: compaction,
  Retry: retry,
  Bash: bash,
  Session: session,
  "Discoverable commands": discovery,
};

/** An intersection and not what a spread is inferred as: that repeats every schema, and fills the published types. */
type Commands = typeof prompting &
  typeof state &
  typeof model &
  typeof thinking &
  typeof queueModes &
  typeof compaction &
  typeof retry &
  typeof bash &
  typeof session &
  typeof discovery;

export const commands: Commands = {
  ...prompting,
  ...state,
  ...model,
  ...thinking,
  ...queueModes,
  ...compaction,
  ...retry,
  ...bash,
  ...session,
  ...discovery,
};

export type CommandName = keyof typeof commands;
export type Params<N extends CommandName> = z.infer<ReturnType<(typeof commands)[N]["params"]>>;
export type Result<N extends CommandName> = z.infer<ReturnType<(typeof commands)[N]["result"]>>;

/** NAME may come from an editor: `__proto__` and `toString` are not commands. */
export function commandSpec(name: string): CommandSpec | undefined {
  return Object.hasOwn(commands, name) ? commands[name as CommandName] : undefined;
}
