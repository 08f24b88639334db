import type { Message } from "vscode-jsonrpc/node";
import type { ClientEvents } from "./client.ts";
import type { Screen } from "./screen.ts";

/** What a demonstration must show. */
const FACTS = [
  "an answer streamed",
  "thinking",
  "a tool call",
  "bash output as it comes",
  "a steer",
  "a dialog answered",
  "a cancel",
  "the final state",
  "a clean end",
] as const;

export type Fact = (typeof FACTS)[number];

interface Rpc {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: { hint?: string } };
}

type Show = (params: Record<string, unknown>, screen: Screen) => void;

interface Update {
  type: string;
  delta?: string;
}

/** What is worth showing of a message from the server, where that is not its beginning. */
const SHOWN: Record<string, Show> = {
  "pi/message_update": ({ assistantMessageEvent }, screen) => {
    const { type, delta = "" } = assistantMessageEvent as Update;
    const style = DELTAS[type];
    if (style) screen.piece("pi/message_update", type, delta, style);
  },
  "pi/bash_execution_update": ({ id, delta }, screen) =>
    screen.piece("pi/bash_execution_update", `bash ${id}`, String(delta), "yellow"),
  "pi/agent_end": (_params, screen) => screen.received("pi/agent_end"),
  "pi/tool_execution_start": ({ toolName, args }, screen) =>
    screen.received("pi/tool_execution_start", oneLine([toolName, args])),
  "pi/tool_execution_end": ({ toolName, result }, screen) =>
    screen.received("pi/tool_execution_end", oneLine([toolName, (result as { content: unknown }).content])),
  "pi/ui/select": ({ title, options }, screen) => screen.received("pi/ui/select", oneLine([title, options])),
  "pi/ui/notify": ({ message }, screen) => screen.received("pi/ui/notify", oneLine(message)),
  "bridge/state": ({ phase, activity, model }, screen) => {
    const { id } = (model ?? {}) as { id?: string };
    screen.received("bridge/state", [phase, activity, id && `model ${id}`].filter(Boolean).join(" · "));
  },
  "window/logMessage": ({ message }, screen) => screen.received("window/logMessage", oneLine(message)),
};

const DELTAS: Record<string, "bold" | "italic" | "dim"> = {
  text_delta: "bold",
  thinking_delta: "italic",
  toolcall_delta: "dim",
};

const QUIET = new Set([
  "pi/turn_start",
  "pi/turn_end",
  "pi/message_start",
  "pi/message_end",
  "pi/tool_execution_update",
]);

/** Shows every message as it passes, and keeps the list of what was seen. */
export class Narrator implements ClientEvents {
  readonly counts = { sent: 0, received: 0 };
  private readonly screen: Screen;
  private readonly facts = new Set<Fact>();
  /** The methods of the requests that wait for their answer, by direction and id. */
  private readonly open = new Map<string, string>();
  private lastState = "";

  constructor(screen: Screen) {
    this.screen = screen;
  }

  saw(fact: Fact): void {
    this.facts.add(fact);
  }

  get seen(): Fact[] {
    return FACTS.filter((fact) => this.facts.has(fact));
  }

  get missing(): Fact[] {
    return FACTS.filter((fact) => !this.facts.has(fact));
  }

  sent(message: Message): void {
    this.counts.sent += 1;
    const { id, method, params, result } = message as Rpc;
    if (method === undefined) return this.screen.sent(`answer to ${this.take("received", id)}`, oneLine(result));
    if (id !== undefined) this.open.set(`sent ${id}`, method);
    this.screen.sent(method, oneLine(params));
  }

  received(message: Message): void {
    this.counts.received += 1;
    const { id, method, params = {}, result, error } = message as Rpc;
    if (method === undefined) return this.answer(this.take("sent", id), result, error);
    if (id !== undefined) this.open.set(`received ${id}`, method);
    if (QUIET.has(method) || (method === "bridge/state" && this.isOldState(params))) return;
    const show = SHOWN[method];
    if (show) return show(params, this.screen);
    const { type: _type, ...rest } = params;
    this.screen.received(method, oneLine(rest));
  }

  stderr(text: string): void {
    this.screen.text(text.trimEnd(), "red");
  }

  private answer(method: string, result: unknown, error: Rpc["error"]): void {
    if (!error) return this.screen.received(`answer to ${method}`, oneLine(result));
    this.screen.received(`answer to ${method}`, `error ${error.code}`, "red");
    this.screen.text(`  ${error.message}${error.data?.hint ? `\n  ${error.data.hint}` : ""}`, "red");
  }

  private take(direction: string, id: number | string | undefined): string {
    const key = `${direction} ${id}`;
    const method = this.open.get(key) ?? "?";
    this.open.delete(key);
    return method;
  }

  /** Usage and the like change without a word that would be shown here. */
  private isOldState({ phase, activity }: Record<string, unknown>): boolean {
    const state = [phase, activity].join();
    const isOld = state === this.lastState;
    this.lastState = state;
    return isOld;
  }
}

/** A value in one line; an array stands for its parts. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return value.map(oneLine).join(" ");
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text === "{}" ? "" : text.replaceAll(/\s+/g, " ");
}
