import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Sandbox } from "../support/sandbox.ts";
import { FAKE_STATE, FAKE_STATS, type PiRecord } from "../support/scenario.ts";

/** No command takes longer to arrive; one that is still missing then has not been sent. */
const DEADLINE_MS = 20_000;

/** The pi end of a bridge in the hands of a test: what arrives, in its order, and what is answered, when the test says. */
export class Puppet {
  readonly command: string[];
  readonly state: typeof FAKE_STATE;
  /** What only the bridge asks, and when, is its own affair. */
  private readonly questions: Record<string, unknown>;
  /** The answers to dialogs, by the dialog. */
  readonly dialogAnswers = new Map<unknown, PiRecord[]>();
  private readonly server: Server;
  private readonly arrived: PiRecord[] = [];
  private readonly wake = new Set<() => void>();
  private socket: Socket | undefined;

  constructor(sandbox: Sandbox) {
    const path = join(sandbox.root, "puppet.sock");
    this.state = { ...FAKE_STATE, sessionFile: join(sandbox.sessions, "puppet.jsonl") };
    this.questions = { get_state: this.state, get_session_stats: FAKE_STATS };
    this.command = [process.execPath, join(import.meta.dirname, "puppet-process.ts"), path];
    this.server = createServer((socket) => this.connected(socket)).listen(path);
  }

  /** Called with each command that arrives; `next` then has nothing to give. */
  onCommand: ((command: PiRecord) => void) | undefined;

  /** The next command that has arrived, but for the bridge's questions. */
  async next(): Promise<PiRecord> {
    return this.fact(() => this.arrived.shift(), "a command");
  }

  /** The answer to a dialog. */
  async dialogAnswer(id: string): Promise<PiRecord> {
    return this.fact(() => this.dialogAnswers.get(id)?.[0], `the answer to the dialog ${id}`);
  }

  send(record: object): void {
    this.socket?.write(`${JSON.stringify(record)}\n`);
  }

  /** `data` undefined: pi answers without any. */
  answer({ id, type }: PiRecord, data?: unknown): void {
    this.send({ id, type: "response", command: type, success: true, ...(data !== undefined && { data }) });
  }

  refuse({ id, type }: PiRecord, error: string): void {
    this.send({ id, type: "response", command: type, success: false, error });
  }

  /** Of the pi that has ended nothing is of interest any more. */
  forget(): void {
    this.arrived.length = 0;
  }

  close(): void {
    this.server.close();
    this.socket?.destroy();
  }

  private connected(socket: Socket): void {
    this.socket = socket;
    let rest = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.receive(JSON.parse(line) as PiRecord);
      for (const wake of this.wake) wake();
    });
    socket.on("error", () => {});
  }

  private receive(record: PiRecord): void {
    const isOwn = !/^r\d/.test(String(record.id));
    if (record.type === "extension_ui_response") {
      this.dialogAnswers.set(record.id, [...(this.dialogAnswers.get(record.id) ?? []), record]);
    } else if (isOwn && record.type in this.questions) this.answer(record, this.questions[record.type]);
    else {
      if (this.onCommand) this.onCommand(record);
      else this.arrived.push(record);
      // What the bridge sends to stop something is answered at once.
      if (isOwn) this.answer(record);
    }
  }

  private async fact<T>(find: () => T | undefined, what: string): Promise<T> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`pi has never got ${what}`)), deadline - Date.now());
        const wake = () => {
          this.wake.delete(wake);
          clearTimeout(timer);
          resolve();
        };
        this.wake.add(wake);
      });
    }
  }
}
