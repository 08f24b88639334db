import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  createMessageConnection,
  type Message,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";

export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

export interface ClientEvents {
  sent(message: Message): void;
  received(message: Message): void;
  stderr(text: string): void;
}

/** A language client as small as one can be: a process, a connection, and the notifications that have come. */
export class Client {
  readonly rpc: MessageConnection;
  /** The exit code, once the server has ended. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly notifications: Notification[] = [];
  private readonly waiting = new Set<() => void>();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv, events: ClientEvents) {
    this.child = spawn(process.execPath, args, { env, stdio: "pipe" });
    this.child.stderr.setEncoding("utf8").on("data", events.stderr);
    this.child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    const writer = new StreamMessageWriter(this.child.stdin);
    const write = writer.write.bind(writer);
    writer.write = (message) => {
      events.sent(message);
      return write(message);
    };
    this.rpc = createMessageConnection(new StreamMessageReader(this.child.stdout), writer, undefined, {
      messageStrategy: {
        handleMessage: (message, next) => {
          events.received(message);
          return next(message);
        },
      },
    });
    this.rpc.onNotification((method, params) => {
      this.notifications.push({ method, params: params as Record<string, unknown> });
      for (const look of [...this.waiting]) look();
    });
    this.rpc.listen();
  }

  /** How many notifications there were so far: a place to look from. */
  get count(): number {
    return this.notifications.length;
  }

  /** The first notification from `since` on that matches. */
  until(matches: (notification: Notification) => boolean, since: number): Promise<Notification> {
    return new Promise((resolve) => {
      let at = since;
      const look = () => {
        for (; at < this.notifications.length; at++) {
          const notification = this.notifications[at];
          if (!notification || !matches(notification)) continue;
          this.waiting.delete(look);
          return resolve(notification);
        }
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Ends the server, if it runs; it takes pi with it. */
  async stop(): Promise<void> {
    this.child.kill("SIGTERM");
    await this.ended;
    this.rpc.dispose();
  }
}
