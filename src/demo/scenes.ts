import { pathToFileURL } from "node:url";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import type { Client, Notification } from "./client.ts";
import type { Narrator } from "./narrator.ts";
import type { Screen } from "./screen.ts";

export interface Stage {
  client: Client;
  screen: Screen;
  narrator: Narrator;
  project: string;
}

export interface Scene {
  title: string;
  run(stage: Stage): Promise<void>;
}

interface Update {
  type: string;
  delta?: string;
}

const is = (method: string) => (notification: Notification) => notification.method === method;

/** A piece of the answer or of the thinking. */
const streams = (type: string) => (notification: Notification) =>
  notification.method === "pi/message_update" && (notification.params.assistantMessageEvent as Update).type === type;

/** Sends a prompt and waits until the agent has settled. `meanwhile` is called as soon as it has begun to speak. */
async function prompt({ client }: Stage, lines: readonly string[], meanwhile?: () => void): Promise<number> {
  const since = client.count;
  const spoke = client.until(streams("text_delta"), since);
  const settled = client.until(is("pi/agent_settled"), since);
  await client.rpc.sendRequest("pi/prompt", { message: lines.join("\n") });
  if (meanwhile) void spoke.then(meanwhile);
  await settled;
  return since;
}

export const scenes: Scene[] = [
  {
    title: "An editor connects, and says that it wants pi's events and dialogs",
    async run({ client, project }) {
      const ready = client.until(({ method, params }) => method === "bridge/state" && params.phase === "ready", 0);
      await client.rpc.sendRequest("initialize", {
        processId: process.pid,
        rootUri: pathToFileURL(project).href,
        capabilities: { experimental: { pi: { events: true, dialogs: ["select"] } } },
      });
      await client.rpc.sendNotification("initialized", {});
      await Promise.race([ready, failed(client)]);
    },
  },
  {
    title: "A prompt: the model thinks, calls a tool, and answers",
    async run(stage) {
      const { client, narrator } = stage;
      const since = await prompt(stage, [
        "pace: 25",
        "think: A greeting is wanted, from the shell. I will ask it.",
        "say: Let me ask the shell.",
        `tool: bash {"command":"echo Hello from the shell"}`,
        "say: It says hello. This answer was streamed, a word at a time, as any model's would be.",
      ]);
      await client.until(streams("thinking_delta"), since).then(() => narrator.saw("thinking"));
      const call = await client.until(is("pi/tool_execution_end"), since);
      if (JSON.stringify(call.params.result).includes("Hello from the shell")) narrator.saw("a tool call");
      await client.until(streams("text_delta"), since).then(() => narrator.saw("an answer streamed"));
    },
  },
  {
    title: "A shell command of the user's own, with its output as it comes",
    async run({ client, narrator }) {
      const since = client.count;
      const command = "for n in 1 2 3; do echo line $n; sleep 0.2; done";
      const { exitCode } = await client.rpc.sendRequest<{ exitCode: number }>("pi/bash", { command });
      await client.until(is("pi/bash_execution_update"), since);
      if (exitCode === 0) narrator.saw("bash output as it comes");
    },
  },
  {
    title: "A steer: the user changes their mind while the model speaks",
    async run(stage) {
      const { client, narrator } = stage;
      const long = "say: I will now explain at length what a language server is and where it comes from.";
      const steer = { message: "pace: 25\nsay: Very well: a language server is a program that editors talk to." };
      const since = await prompt(stage, ["pace: 40", long], () => void client.rpc.sendRequest("pi/steer", steer));
      const isSteered = ({ method, params }: Notification) =>
        method === "pi/message_end" && JSON.stringify(params.message).includes("Very well");
      await client.until(isSteered, since).then(() => narrator.saw("a steer"));
    },
  },
  {
    title: "A dialog: an extension asks, the editor answers",
    async run({ client, narrator }) {
      const since = client.count;
      client.rpc.onRequest("pi/ui/select", ({ options }: { options: string[] }) => ({ value: options[1] }));
      const ask = { title: "Which colour?", options: ["red", "green", "blue"] };
      await client.rpc.sendRequest("pi/prompt", { message: `/select ${JSON.stringify(ask)}` });
      const told = await client.until(is("pi/ui/notify"), since);
      if (told.params.message === '{"select":"green"}') narrator.saw("a dialog answered");
    },
  },
  {
    title: "A cancel: what takes too long is stopped",
    async run({ client, narrator }) {
      const since = client.count;
      const { token, cancel } = cancellation();
      const answer = client.rpc.sendRequest<{ cancelled: boolean }>(
        "pi/bash",
        { command: "echo waiting; sleep 60" },
        token,
      );
      await client.until(is("pi/bash_execution_update"), since);
      cancel();
      if ((await answer).cancelled) narrator.saw("a cancel");
    },
  },
  {
    title: "The final state, and the end",
    async run({ client, screen, narrator }) {
      const state = await client.rpc.sendRequest<{ phase: string; activity: string }>("bridge/state");
      screen.value(state);
      if (state.phase === "ready" && state.activity === "idle") narrator.saw("the final state");
      await client.rpc.sendRequest("shutdown");
      await client.rpc.sendNotification("exit");
      if ((await client.ended) === 0) narrator.saw("a clean end");
    },
  },
];

function cancellation() {
  const source = new CancellationTokenSource();
  return { token: source.token, cancel: () => source.cancel() };
}

/** Rejects when pi cannot be started: then there is nothing to wait for. */
async function failed(client: Client): Promise<never> {
  const { params } = await client.until(
    ({ method, params }) => method === "bridge/state" && params.phase === "failed",
    0,
  );
  const { message, hint } = params.error as { message: string; hint: string };
  throw new Error(`${message}\n${hint}`);
}
