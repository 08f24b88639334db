import type { Messages } from "./messages.ts";

export interface PickContext {
  messages: Messages;
  ask(method: string, params: object): Promise<unknown>;
  /** @returns the index of what was chosen */
  choose(title: string, titles: readonly string[]): Promise<number | undefined>;
}

/** More cannot be read in the prompts that editors have. */
const MOST = 20;
const NEW = "A new one";
const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** Commands that ask for a model, a thinking level or a session, and set it. */
export function pickCommands({ messages, ask, choose }: PickContext): Record<string, () => Promise<void>> {
  const run = (pick: () => Promise<string | undefined>) => async () => {
    const text = await pick();
    if (text !== undefined) messages.show("info", text);
  };
  return {
    "pi.pick.model": run(async () => {
      const { models } = (await ask("pi/get_available_models", {})) as { models: { provider: string; id: string }[] };
      const at = await choose(
        "Which model?",
        models.slice(0, MOST).map(({ provider, id }) => `${provider}/${id}`),
      );
      const model = at === undefined ? undefined : models[at];
      if (!model) return undefined;
      await ask("pi/set_model", { provider: model.provider, modelId: model.id });
      return `pi uses ${model.provider}/${model.id}.`;
    }),
    "pi.pick.thinking": run(async () => {
      const at = await choose("How much thinking?", LEVELS);
      const level = at === undefined ? undefined : LEVELS[at];
      if (level === undefined) return undefined;
      await ask("pi/set_thinking_level", { level });
      return `pi thinks: ${level}.`;
    }),
    "pi.pick.session": run(async () => {
      const { sessions } = (await ask("bridge/list_sessions", { limit: MOST })) as {
        sessions: { id: string; name?: string; firstMessage: string; modified: string }[];
      };
      const titles = sessions.map(({ name, firstMessage, modified }) =>
        `${modified.slice(0, 16).replace("T", " ")} ${name ?? firstMessage}`.slice(0, 80),
      );
      const at = await choose("Which session?", [NEW, ...titles]);
      if (at === 0) {
        const { cancelled } = (await ask("pi/new_session", {})) as { cancelled: boolean };
        return cancelled ? "An extension keeps the session open." : "pi has begun a new session.";
      }
      const session = at === undefined ? undefined : sessions[at - 1];
      if (!session) return undefined;
      await ask("bridge/resume", { id: session.id });
      return "pi has the session open. “pi: rebuild the transcript” shows it in the chat.";
    }),
  };
}
