/**
 * A pi extension with a model that does what its prompt says: no key, no network, no port.
 *
 *     pi -e scripted-model.ts --provider scripted --model script
 *
 * A message whose first line is a directive is a script, one directive a line. Any other message gets a short answer.
 *
 *     say: <text>              answer, a delta a word
 *     think: <text>            thinking, a delta a word
 *     deltas: <n> x "<text>"   n equal deltas, as fast as pi takes them
 *     tool: <name> <json>      call a tool; what follows is done after its result. Adjacent lines call in parallel
 *     pace: <ms>               from here on, pause before each delta
 *     hold                     wait for the slash command /release
 *     stall                    wait to be aborted
 *     fail: <message>          fail once; `fail 3:` fails three times. What pi retries ("529 overloaded") then goes on
 *
 * A compaction does what its custom instructions say, if they are a script.
 *
 * Slash commands: /select /confirm /input /editor /announce /dismiss /release /new /name /entry /throw /log /quit /die.
 */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import {
  type AssistantMessage,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type Message,
  type Model,
  type SimpleStreamOptions,
  type ToolCall,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";

type Step =
  | { do: "say" | "think" | "fail"; text: string; times: number }
  | { do: "deltas"; text: string; times: number }
  | { do: "tool"; name: string; args: Record<string, unknown> }
  | { do: "pace"; ms: number }
  | { do: "hold" | "stall" };

const DIRECTIVE = /^(say|think|deltas|tool|pace|hold|stall|fail)\b/;

function parseStep(line: string): Step {
  const [, name = "", count, rest = ""] = /^(\w+)(?: (\d+))?:? ?(.*)$/s.exec(line) ?? [];
  const text = rest.replaceAll("\\n", "\n");
  switch (name) {
    case "say":
    case "think":
    case "fail":
      return { do: name, text, times: Number(count ?? 1) };
    case "deltas": {
      const [, times, json = ""] = /^(\d+) x (".*")$/.exec(rest) ?? [];
      return { do: "deltas", text: JSON.parse(json) as string, times: Number(times) };
    }
    case "tool": {
      const [, tool = "", json = ""] = /^(\w+) (\{.*\})$/.exec(rest) ?? [];
      return { do: "tool", name: tool, args: JSON.parse(json) as Record<string, unknown> };
    }
    case "pace":
      return { do: "pace", ms: Number(rest) };
    case "hold":
    case "stall":
      return { do: name };
    default:
      throw new Error(`scripted model: no directive ${JSON.stringify(line)}`);
  }
}

function parseScript(text: string): Step[] {
  const focus = /\n\nAdditional focus: (.*)$/s.exec(text);
  const script = text.startsWith("<conversation>") ? (focus?.[1] ?? "") : text;
  if (!DIRECTIVE.test(script)) return [{ do: "say", text: "This is the scripted model speaking.", times: 1 }];
  return script
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseStep);
}

function textOf(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The script of the last user message, and how many answers it has had: a tool's result is not a message of the user. */
function currentTurn(messages: readonly Message[]): { key: string; steps: Step[]; answers: number } {
  const at = messages.findLastIndex((message) => message.role === "user");
  const message = messages[at];
  if (!message) return { key: "", steps: parseScript(""), answers: 0 };
  const answers = messages.slice(at).filter(isAnswer).length;
  return { key: `${message.timestamp}`, steps: parseScript(textOf(message)), answers };
}

function isAnswer(message: Message): boolean {
  return message.role === "assistant" && message.stopReason !== "error";
}

/** `hold` and /release, whichever comes first. */
const holds: { released: number; waiting: (() => void)[] } = { released: 0, waiting: [] };

function held(signal: AbortSignal | undefined): Promise<void> {
  if (holds.released > 0) {
    holds.released -= 1;
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    holds.waiting.push(resolve);
    signal?.addEventListener("abort", () => resolve());
  });
}

function release(): void {
  const resolve = holds.waiting.shift();
  if (resolve) resolve();
  else holds.released += 1;
}

/** How often a `fail` of a message has failed. pi takes failed answers out of the context before it tries again. */
const failures = new Map<string, number>();

/** One answer as it grows, and the events that tell of it. */
class Answer {
  readonly message: AssistantMessage;
  private readonly stream: AssistantMessageEventStream;
  private readonly signal: AbortSignal | undefined;
  paceMs = 0;

  constructor(stream: AssistantMessageEventStream, model: Model<string>, signal: AbortSignal | undefined) {
    this.stream = stream;
    this.signal = signal;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    this.message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: { input: 100, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 100, cost },
      stopReason: "pending",
      timestamp: Date.now(),
    };
    stream.push({ type: "start", partial: this.message });
  }

  async text(deltas: Iterable<string>): Promise<void> {
    const block = { type: "text" as const, text: "" };
    const at = { contentIndex: this.message.content.push(block) - 1, partial: this.message };
    this.stream.push({ type: "text_start", ...at });
    for (const delta of deltas) {
      await this.pause();
      block.text += delta;
      this.stream.push({ type: "text_delta", delta, ...at });
    }
    this.stream.push({ type: "text_end", content: block.text, ...at });
  }

  async thinking(deltas: Iterable<string>): Promise<void> {
    const block = { type: "thinking" as const, thinking: "" };
    const at = { contentIndex: this.message.content.push(block) - 1, partial: this.message };
    this.stream.push({ type: "thinking_start", ...at });
    for (const delta of deltas) {
      await this.pause();
      block.thinking += delta;
      this.stream.push({ type: "thinking_delta", delta, ...at });
    }
    this.stream.push({ type: "thinking_end", content: block.thinking, ...at });
  }

  async toolCall(id: string, name: string, args: Record<string, unknown>): Promise<void> {
    const block: ToolCall = { type: "toolCall", id, name, arguments: {} };
    const at = { contentIndex: this.message.content.push(block) - 1, partial: this.message };
    this.stream.push({ type: "toolcall_start", ...at });
    for (const delta of JSON.stringify(args).match(/.{1,16}/gs) ?? []) {
      await this.pause();
      this.stream.push({ type: "toolcall_delta", delta, ...at });
    }
    block.arguments = args as ToolCall["arguments"];
    this.stream.push({ type: "toolcall_end", toolCall: block, ...at });
  }

  /** A turn of the event loop before each delta: pi must be able to read a steer or an abort in between. */
  private async pause(): Promise<void> {
    if (this.paceMs > 0) await sleep(this.paceMs, undefined, { signal: this.signal });
    else await turn();
    this.signal?.throwIfAborted();
    this.message.usage.output += 1;
    this.message.usage.totalTokens += 1;
  }
}

async function play(answer: Answer, messages: readonly Message[], signal: AbortSignal | undefined): Promise<void> {
  const { key, steps, answers } = currentTurn(messages);
  // pi announces the answer while it is still empty, as it is with a model at the end of a network.
  await turn();
  let answered = 0;
  for (const [at, step] of steps.entries()) {
    const last = steps[at - 1];
    if (last?.do === "tool" && step.do !== "tool") answered += 1;
    if (answered > answers) return;
    if (step.do === "pace") answer.paceMs = step.ms;
    if (answered < answers) continue;
    if (step.do === "say") await answer.text(words(step.text));
    if (step.do === "think") await answer.thinking(words(step.text));
    if (step.do === "deltas") await answer.text(repeated(step.text, step.times));
    if (step.do === "tool") await answer.toolCall(`call_${key}_${at}`, step.name, step.args);
    if (step.do === "hold") await held(signal);
    if (step.do === "stall") await new Promise((_, reject) => signal?.addEventListener("abort", reject));
    if (step.do === "fail") failAsOftenAs(step.times, `${key}/${at}`, step.text);
    signal?.throwIfAborted();
  }
}

function failAsOftenAs(times: number, key: string, text: string): void {
  const failed = failures.get(key) ?? 0;
  failures.set(key, failed + 1);
  if (failed < times) throw new Error(text);
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*?/g) ?? [];
}

function* repeated(text: string, times: number): Generator<string> {
  for (let at = 0; at < times; at++) yield text;
}

function streamSimple(
  model: Model<string>,
  context: { messages: readonly Message[] },
  options?: SimpleStreamOptions,
): AssistantMessageEventStream {
  const stream = createAssistantMessageEventStream();
  const signal = options?.signal;
  const answer = new Answer(stream, model, signal);
  const { message } = answer;
  void play(answer, context.messages, signal).then(
    () => {
      const reason = message.content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
      message.stopReason = reason;
      stream.push({ type: "done", reason, message });
    },
    (error: Error) => {
      const reason = signal?.aborted ? "aborted" : "error";
      message.stopReason = reason;
      message.errorMessage = signal?.aborted ? "Request was aborted" : error.message;
      stream.push({ type: "error", reason, error: message });
    },
  );
  return stream;
}

interface DialogArguments {
  title?: string;
  options?: string[];
  text?: string;
  timeout?: number;
  /** Give pi a signal that /dismiss aborts. */
  signal?: boolean;
}

const dismissals = new Set<AbortController>();

function dialogOptions({ timeout, signal }: DialogArguments): { timeout?: number; signal?: AbortSignal } {
  const controller = new AbortController();
  if (signal) dismissals.add(controller);
  return { ...(timeout !== undefined && { timeout }), ...(signal && { signal: controller.signal }) };
}

export default function scriptedModel(pi: ExtensionAPI): void {
  const model = {
    input: ["text" as const, "image" as const],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 32_000,
  };
  pi.registerProvider("scripted", {
    name: "Scripted",
    // Required by pi, and used by nobody.
    baseUrl: "http://127.0.0.1",
    apiKey: "none",
    api: "scripted",
    models: [
      { id: "script", name: "Script", reasoning: true, ...model },
      { id: "plain", name: "Script without thinking", reasoning: false, ...model },
    ],
    streamSimple,
  });

  pi.registerTool({
    name: "ask",
    label: "Ask",
    description: "Asks the user to choose.",
    parameters: {
      type: "object",
      properties: { title: { type: "string" }, options: { type: "array", items: { type: "string" } } },
      required: ["title", "options"],
    },
    // Without the signal, as most extensions do it: an abort does not close the dialog.
    async execute(_id, params, _signal, _onUpdate, ctx) {
      const { title, options } = params as { title: string; options: string[] };
      const answer = await ctx.ui.select(title, options);
      return { content: [{ type: "text", text: `The user chose ${answer ?? "nothing"}.` }], details: {} };
    },
  });

  const command = (name: string, handler: (args: string, ctx: ExtensionCommandContext) => unknown) =>
    pi.registerCommand(name, {
      description: `Scripted: ${name}`,
      handler: async (args, ctx) => void (await handler(args, ctx)),
    });
  /** Opens a dialog, and tells the answer that reached the extension. */
  const dialog = (name: string, ask: (args: DialogArguments, ctx: ExtensionCommandContext) => Promise<unknown>) =>
    command(name, async (json, ctx) => {
      const { notify } = ctx.ui;
      const answer = await ask(json === "" ? {} : (JSON.parse(json) as DialogArguments), ctx);
      notify(JSON.stringify({ [name]: answer ?? null }));
    });

  dialog("select", (args, ctx) =>
    ctx.ui.select(args.title ?? "Pick a colour", args.options ?? ["red", "green", "blue"], dialogOptions(args)),
  );
  dialog("confirm", (args, ctx) =>
    ctx.ui.confirm(args.title ?? "Go on?", args.text ?? "There is no way back.", dialogOptions(args)),
  );
  dialog("input", (args, ctx) => ctx.ui.input(args.title ?? "Your name", args.text ?? "Ada", dialogOptions(args)));
  dialog("editor", (args, ctx) => ctx.ui.editor(args.title ?? "Commit message", args.text ?? "Fix the cart\n"));
  command("dismiss", () => {
    for (const controller of dismissals) controller.abort();
    dismissals.clear();
  });
  command("announce", (_args, { ui }) => {
    ui.notify("a note");
    ui.notify("a warning", "warning");
    ui.notify("an error", "error");
    ui.setStatus("scripted", "\u001b[32mbusy\u001b[0m");
    ui.setStatus("scripted", undefined);
    ui.setWidget("scripted", ["first line", "second line"], { placement: "belowEditor" });
    ui.setWidget("scripted", undefined);
    ui.setTitle("scripted pi");
    ui.setEditorText("a text to edit");
  });
  command("release", release);
  command("new", (_args, ctx) => ctx.newSession());
  command("name", (name) => pi.setSessionName(name));
  command("entry", (json) => pi.appendEntry("scripted", JSON.parse(json)));
  command("throw", (message) => {
    throw new Error(message);
  });
  command("log", (text) => process.stderr.write(`${text}\n`));
  command("quit", (_args, ctx) => ctx.shutdown());
  command("die", (how) => {
    if (how.startsWith("SIG")) process.kill(process.pid, how);
    else process.exit(Number(how));
  });
}
