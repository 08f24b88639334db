import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import type { ServeOptions } from "../../src/serve.ts";
import { type Bridge, BridgeInMemory, BridgeProcess } from "./bridge.ts";
import { Editor } from "./editor.ts";
import type { Pi } from "./pis.ts";
import { isRunning, marked } from "./processes.ts";
import { checkRecord } from "./records.ts";
import { Sandbox } from "./sandbox.ts";
import type { LogEntry, Step } from "./scenario.ts";

export const DIALOGS = ["select", "confirm", "input", "editor"];

/** What an editor says that wants everything. */
export const EVERYTHING = { events: true, dialogs: DIALOGS };

export interface TalkOptions {
  /** Words of the bridge's command line. */
  flags?: readonly string[];
  env?: Record<string, string>;
  /** `capabilities.experimental.pi`; `null` for a client that does not know of it. */
  optIn?: unknown;
  initializationOptions?: Record<string, unknown> | ((talk: Talk) => Record<string, unknown>);
  /** Further members of the initialize parameters. */
  initialize?: Record<string, unknown>;
  /** In this process, with these options of `serve`. */
  inMemory?: boolean | Partial<ServeOptions>;
  /** One that was made elsewhere. */
  bridge?: Bridge;
}

/** An editor with its sandbox. Closed, and looked after, at the end of the test. */
export class Talk extends Editor {
  readonly sandbox: Sandbox;
  /** The real pi at the other end: then its records are held against the tables. */
  realPi: Pi | undefined;
  /** The test has stopped to read in the middle of a message. */
  isCutOff = false;
  private isShutDown = false;

  constructor(bridge: Bridge, sandbox: Sandbox) {
    super(bridge);
    this.sandbox = sandbox;
  }

  /** The first half of the end. */
  async shutDown(): Promise<void> {
    this.isShutDown = true;
    expect(await this.call("shutdown")).toBe(null);
  }

  /** Ends the session as the protocol wants it. */
  async close(): Promise<void> {
    if (this.bridge.hasEnded) return;
    if (!this.isShutDown) await this.shutDown();
    this.notify("exit");
    expect(await this.bridge.ended).toEqual({ code: 0, signal: null, stderr: "" });
  }

  /** The starts, ends and faults of the fake pi of this sandbox. */
  get fakeLog(): LogEntry[] {
    const file = `${this.sandbox.root}/scenario.jsonl.log`;
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as LogEntry);
  }

  /** What must hold at the end of every test: one answer each, whole messages only, nobody left behind. */
  check(): void {
    for (const id of new Set(this.asked)) {
      const answers = this.received.filter((message) => message.id === id && message.method === undefined);
      const requests = this.asked.filter((other) => other === id);
      expect(answers.length, `answers to the request ${JSON.stringify(id)}`).toBe(requests.length);
    }
    if (!this.isCutOff) expect(this.isBetweenMessages, "the output ends between two messages").toBe(true);
    for (const entry of this.fakeLog) {
      if ("failed" in entry) expect.fail(`fake pi: ${entry.failed}`);
      if ("end" in entry && entry.left) expect.fail(`fake pi still waited for ${JSON.stringify(entry.left)}`);
      if ("start" in entry) expect(isRunning(entry.pid), `fake pi ${entry.pid} runs on`).toBe(false);
    }
    if (this.realPi) for (const message of this.received) checkRecord(message, this.realPi);
    expect(this.leftBehind(), "processes left behind").toEqual([]);
  }

  leftBehind() {
    return marked(`PI_LS_TEST=${this.sandbox.root}`);
  }
}

/** A connection on which nothing has been said yet. */
export function connect({ flags = [], env, inMemory, ...options }: TalkOptions = {}, sandbox = new Sandbox()): Talk {
  const made = () =>
    inMemory ? new BridgeInMemory(sandbox, inMemory === true ? {} : inMemory) : new BridgeProcess(sandbox, flags, env);
  const bridge = options.bridge ?? made();
  const talk = new Talk(bridge, sandbox);
  onTestFinished(async ({ task }) => {
    try {
      // A test that has failed has said why; what follows from it is noise.
      if (task.result?.state === "fail") return;
      await talk.close();
      talk.check();
    } finally {
      bridge.kill("SIGKILL");
      await bridge.ended;
      for (const { pid } of talk.leftBehind()) process.kill(pid, "SIGKILL");
      sandbox.remove();
    }
  });
  return talk;
}

/** The initialize parameters for an editor that talks to PI. `scenario` is what the fake one does. */
export function initializeParams(talk: Talk, pi: Pi, scenario: readonly Step[], options: TalkOptions = {}) {
  const { optIn = EVERYTHING, initializationOptions, initialize } = options;
  return {
    processId: process.pid,
    rootUri: `file://${talk.sandbox.project}`,
    capabilities: optIn === null ? {} : { experimental: { pi: optIn } },
    initializationOptions: {
      ...pi.launch(talk.sandbox, scenario),
      ...(typeof initializationOptions === "function" ? initializationOptions(talk) : initializationOptions),
    },
    ...initialize,
  };
}

/** An editor that is through with its initialization. */
export async function talkTo(
  pi: Pi,
  scenario: readonly Step[] = [],
  options: TalkOptions = {},
  sandbox = new Sandbox(),
): Promise<Talk> {
  const talk = connect(options, sandbox);
  if (!pi.isFake) talk.realPi = pi;
  const answer = await talk.request("initialize", initializeParams(talk, pi, scenario, options), "initialize");
  expect(answer).toHaveProperty("result");
  talk.notify("initialized", {});
  return talk;
}
