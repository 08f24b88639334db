import { join } from "node:path";
import type { BridgeParams, BridgeResult } from "../../src/protocol/bridge.ts";
import type { BridgeState } from "../../src/protocol/state.ts";
import type { Pi } from "../support/pis.ts";
import { type Talk, type TalkOptions, talkTo } from "../support/talk.ts";

const EXTENSION = join(import.meta.dirname, "extension.ts");

/** Real pi, with the scripted model and the commands of `extension.ts`. */
export async function start(pi: Pi, options: TalkOptions = {}): Promise<Talk> {
  const launch: Pi = {
    ...pi,
    launch: (sandbox, scenario) => {
      const { command, args } = pi.launch(sandbox, scenario);
      return { command, args: [...args, "-e", EXTENSION] };
    },
  };
  return talkTo(launch, [], options);
}

/** A whole run. */
export async function prompt(talk: Talk, message: string): Promise<void> {
  const from = talk.received.length;
  await talk.call("pi/prompt", { message });
  await talk.until("pi/agent_settled", from);
}

/** An extension's command, which is answered when it has ended. */
export async function command(talk: Talk, message: string): Promise<void> {
  await talk.call("pi/prompt", { message });
}

export async function sessions(talk: Talk, params: BridgeParams<"bridge/list_sessions"> = {}) {
  return (await talk.call("bridge/list_sessions", params)) as BridgeResult<"bridge/list_sessions">;
}

export async function resume(talk: Talk, params: BridgeParams<"bridge/resume">): Promise<BridgeState> {
  return (await talk.call("bridge/resume", params)) as BridgeState;
}

export async function state(talk: Talk): Promise<{ sessionId: string; sessionFile: string }> {
  return (await talk.call("pi/get_state")) as { sessionId: string; sessionFile: string };
}

/** pi's working directory, as a command that it runs sees it. */
export async function workingDirectory(talk: Talk): Promise<string> {
  const { output } = (await talk.call("pi/bash", { command: "pwd -P", excludeFromContext: true })) as {
    output: string;
  };
  return output.trim();
}
