import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Editor, type Message, type Pending } from "../support/editor.ts";
import type { Pi } from "../support/pis.ts";
import { isRunning, marked } from "../support/processes.ts";
import { Sandbox } from "../support/sandbox.ts";
import { EVERYTHING } from "../support/talk.ts";
import { EditorHost } from "./editor-host.ts";

/** Both take a fraction of that where the machine has nothing else to do; the ledger tells how long. */
const DEADLINE_MS = 60_000;
const CLEARANCE_MS = 10_000;
const LOOK_MS = 20;

/** One editor, one bridge, one real pi with the scripted model, and the books of what was said. */
export class Conversation {
  readonly sandbox = new Sandbox();
  readonly host = new EditorHost(this.sandbox);
  readonly editor = new Editor(this.host);
  /** The requests that were sent and whose answers the books want to see. */
  readonly requests: Pending[] = [];
  /** The `clear_queue`s among them: what they answer is given back. */
  private readonly cleared = new Set<unknown>();
  /** The prompts by their unique words. */
  private readonly prompts: { words: string; answer: Pending }[] = [];
  private readonly pi: Pi;
  private count = 0;

  constructor(pi: Pi) {
    this.pi = pi;
  }

  async initialize(): Promise<void> {
    await this.host.started;
    this.editor.deadlineMs = DEADLINE_MS;
    await this.editor.call("initialize", {
      processId: this.host.pid,
      rootUri: `file://${this.sandbox.project}`,
      capabilities: { experimental: { pi: EVERYTHING } },
      initializationOptions: this.pi.launch(this.sandbox, []),
    });
    this.editor.notify("initialized", {});
  }

  ask(method: string, params?: unknown): Pending {
    const answer = this.editor.request(method, params);
    this.requests.push(answer);
    if (method === "pi/clear_queue") this.cleared.add(answer.id);
    return answer;
  }

  /** A prompt whose words are in no other, behind the directives that it begins with. */
  prompt(directives: string, fields: object = {}, method = "pi/prompt"): Pending {
    const words = `words ${++this.count} of ${this.sandbox.root.slice(-6)}`;
    const answer = this.ask(method, { message: `${directives}\nsay: ${words}`, ...fields });
    this.prompts.push({ words, answer });
    return answer;
  }

  /** pi's process, as the last state told. */
  get piPid(): number {
    const state = this.editor.all("bridge/state").findLast(({ params }) => params.pi !== undefined);
    return (state?.params.pi as { pid: number } | undefined)?.pid ?? 0;
  }

  /** Waits for a state from FROM on. */
  state(matches: (state: Message["params"]) => boolean, from: number | Message = 0): Promise<Message> {
    return this.editor.until(({ method, params }) => method === "bridge/state" && matches(params), from);
  }

  /** Waits until there is a process whose command line starts with START: the shell that starts it is not meant. */
  async process(start: string): Promise<void> {
    const found = await poll(() => this.processes().find(({ command }) => command.startsWith(start)));
    if (!found) throw new Error(`no process ${start} came up`);
  }

  processes() {
    return marked(`PI_LS_TEST=${this.sandbox.root}`);
  }

  /** Waits until nothing is left of GONE, or of everything. Resolves to what is, when that takes too long. */
  async left(gone?: readonly number[]): Promise<string[]> {
    let left: string[] = [];
    await poll(() => {
      const processes = this.processes().filter(({ pid }) => isRunning(pid) && (gone?.includes(pid) ?? true));
      left = processes.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`);
      return left.length === 0 || undefined;
    }, CLEARANCE_MS);
    return left;
  }

  /** The answers that a request has had; each should have one. */
  answersTo({ id }: Pending): number {
    return this.editor.received.filter((message) => message.id === id && message.method === undefined).length;
  }

  /** The dialogs that pi's end should have closed, and that the editor still shows. */
  openDialogs(): unknown[] {
    const { editor } = this;
    const dialogs = editor.received.filter(({ method, id }) => method?.startsWith("pi/ui/") && id !== undefined);
    return dialogs.filter(({ id, params }) => {
      if (this.answeredDialogs.has(id)) return false;
      const isCancelled = editor.all("$/cancelRequest").some((cancel) => cancel.params.id === id);
      return !isCancelled || !editor.all("bridge/dialog_closed").some((closed) => closed.params.id === params.id);
    });
  }

  private readonly answeredDialogs = new Set<unknown>();

  answerDialogs(): void {
    for (const dialog of this.openDialogs() as Message[]) {
      this.answeredDialogs.add(dialog.id);
      this.editor.answer(dialog, { value: "green" });
    }
  }

  /**
   * The prompts that were acknowledged, are in no session file, and were not given back. Where there was nobody whom a
   * message in pi's queue could have been given back to, only those count that started a run.
   */
  async lostPrompts(givesBack: boolean): Promise<string[]> {
    const files = readdirSync(this.sandbox.sessions, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(this.sandbox.sessions, name), "utf8"));
    const kept = files.join("\n");
    const givenBack = this.editor.received
      .filter(({ method, id, error }) => method === "bridge/state" || error || this.cleared.has(id))
      .map(({ params, error, result }) => JSON.stringify([params.lost, error?.data, result]))
      .join("\n");
    return this.prompts
      .filter(({ answer }) => this.isAcknowledged(answer, givesBack))
      .map(({ words }) => words)
      .filter((words) => !kept.includes(words) && !givenBack.includes(words));
  }

  private isAcknowledged({ id }: Pending, alsoQueued: boolean): boolean {
    const answer = this.editor.received.find((message) => message.id === id && message.method === undefined);
    if (!answer || answer.error) return false;
    // An old pi does not say what becomes of a prompt.
    const { disposition = "queued" } = Object(answer.result) as { disposition?: string };
    return disposition === "started" || (alsoQueued && disposition === "queued");
  }

  /** Leaves nothing, whatever has happened. */
  async clear(): Promise<void> {
    for (const { pid } of this.processes()) process.kill(pid, "SIGKILL");
    await this.host.ended;
    this.sandbox.remove();
  }
}

/** The first value that FACT gives, looked for until the time is over. */
export async function poll<T>(fact: () => T | undefined, forMs = DEADLINE_MS): Promise<T | undefined> {
  const deadline = Date.now() + forMs;
  for (;;) {
    const value = fact();
    if (value !== undefined || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
