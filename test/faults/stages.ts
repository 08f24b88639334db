import type { Random } from "../support/random.ts";
import type { Conversation } from "./conversation.ts";

/** Brings a conversation to a point, and resolves when it is there: every wait is for a fact. */
export type Stage = (conversation: Conversation, random: Random) => Promise<void>;

/** No test waits for these: they run until they are ended. */
let sleeper = 40_000;

export const stages = {
  start: async (conversation) => {
    const { editor } = conversation;
    // The first start has begun with the conversation; any other is asked for.
    const { phase } = (await editor.call("bridge/state")) as { phase: string };
    const from = phase === "ready" ? editor.received.length : 0;
    if (phase === "ready") conversation.ask("bridge/restart");
    await conversation.state((state) => state.phase === "starting" && state.pi !== undefined, from);
    conversation.ask("pi/get_state");
    conversation.prompt("pace: 1");
  },
  idle: async (conversation) => {
    await ready(conversation);
  },
  run: async (conversation, random) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    await conversation.prompt(`pace: ${random.below(4)}\ndeltas: 100000 x "word "`);
    await conversation.editor.until("pi/message_update", from);
  },
  tool: async (conversation) => {
    await ready(conversation);
    const word = `sleep ${++sleeper}`;
    await conversation.prompt(`tool: bash ${JSON.stringify({ command: `echo on it; ${word}; echo done` })}`);
    await conversation.process(word);
  },
  bash: async (conversation) => {
    await ready(conversation);
    const word = `sleep ${++sleeper}`;
    conversation.ask("pi/bash", { command: `echo on it; ${word} | cat; echo done` });
    await conversation.process(word);
  },
  dialog: async (conversation, random) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    const kind = random.pick(["select", "confirm", "input", "editor"]);
    conversation.ask("pi/prompt", { message: `/${kind}` });
    await conversation.editor.until(`pi/ui/${kind}`, from);
  },
  "tool's dialog": async (conversation) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    await conversation.prompt('tool: ask {"title":"Which?","options":["red","green"]}');
    await conversation.editor.until("pi/ui/select", from);
  },
  queue: async (conversation) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    await conversation.prompt("say: first\nhold");
    await conversation.editor.until("pi/message_update", from);
    await conversation.prompt("pace: 1", {}, "pi/steer");
    await conversation.prompt("pace: 1", { streamingBehavior: "followUp" });
    conversation.prompt("pace: 1", {}, "pi/follow_up");
  },
  compaction: async (conversation) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    await conversation.prompt("pace: 1");
    const settled = await conversation.editor.until("pi/agent_settled", from);
    conversation.ask("pi/compact", { customInstructions: 'pace: 2\ndeltas: 100000 x "word "' });
    await conversation.editor.until("pi/compaction_start", settled);
  },
  replacement: async (conversation) => {
    await ready(conversation);
    const from = conversation.editor.received.length;
    await conversation.prompt("pace: 1");
    await conversation.editor.until(({ method, params }) => method === "pi/message_end" && isOfUser(params), from);
    for (let count = 0; count < 5; count++) conversation.ask("pi/new_session");
    conversation.ask("pi/get_state");
    conversation.ask("pi/clone");
    conversation.prompt("pace: 1");
  },
} satisfies Record<string, Stage>;

export type StageName = keyof typeof stages;

function isOfUser({ message }: Record<string, unknown>): boolean {
  return (message as { role: string }).role === "user";
}

async function ready(conversation: Conversation): Promise<void> {
  await conversation.editor.call("pi/get_state");
}
