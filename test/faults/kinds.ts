import { isRunning } from "../support/processes.ts";
import type { Random } from "../support/random.ts";
import type { Conversation } from "./conversation.ts";

/** A fault, and what is to be expected of the bridge after it. */
export interface Fault {
  inject(conversation: Conversation, random: Random): Promise<void> | void;
  /** `lives`, with the same pi or a new one; `answers`: it goes, but not before everything is answered; `goes`. */
  bridge: "lives" | "answers" | "goes";
  /** pi is not the same afterwards. */
  endsPi?: true;
}

export const faults = {
  "kill -9 pi": { bridge: "lives", endsPi: true, inject: (it) => kill(it.piPid, "SIGKILL") },
  "SIGTERM to pi": {
    bridge: "lives",
    endsPi: true,
    inject: (it) => {
      kill(it.piPid, "SIGTERM");
      // It does not end before they are answered.
      it.answerDialogs();
    },
  },
  "pi stands still": {
    bridge: "lives",
    inject: async (it, random) => {
      const pid = it.piPid;
      kill(pid, "SIGSTOP");
      // The bridge goes on without it.
      for (let count = random.below(5); count >= 0; count--) await it.editor.call("bridge/state");
      it.ask("pi/get_messages");
      kill(pid, "SIGCONT");
    },
  },
  "the editor stops reading": {
    bridge: "lives",
    inject: async (it, random) => {
      it.host.pause();
      for (let count = random.below(200); count >= 0; count--) it.ask("pi/get_messages");
      it.host.resume();
    },
  },
  "junk between messages": {
    bridge: "lives",
    inject: (it, random) => {
      it.editor.bytes(Buffer.concat([random.bytes(random.below(2000)), Buffer.from("\n\n")]));
    },
  },
  "a broken message": {
    bridge: "lives",
    inject: (it, random) => {
      const body = random.pick(['{"jsonrpc":"2.0","id":', "[]", "null", '{"method":5}', "\ud800", "{".repeat(100)]);
      it.editor.bytes(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
  },
  "kill -9 the editor": { bridge: "goes", inject: (it) => it.host.kill("SIGKILL") },
  "kill -9 the bridge": { bridge: "goes", inject: (it) => kill(it.host.bridgePid, "SIGKILL") },
  "SIGTERM to the bridge": { bridge: "answers", inject: (it) => kill(it.host.bridgePid, "SIGTERM") },
  "SIGHUP to the bridge": { bridge: "answers", inject: (it) => kill(it.host.bridgePid, "SIGHUP") },
  "SIGINT to the bridge": { bridge: "answers", inject: (it) => kill(it.host.bridgePid, "SIGINT") },
  "the bridge's stdin closed": { bridge: "answers", inject: (it) => it.host.order("close stdin") },
  "the bridge's stdout closed": {
    bridge: "goes",
    inject: (it) => {
      it.host.order("close stdout");
      // Only a write can find it out.
      it.editor.request("pi/get_messages");
    },
  },
  "SIGTERM while pi stands still": {
    bridge: "answers",
    inject: (it) => {
      kill(it.piPid, "SIGSTOP");
      kill(it.host.bridgePid, "SIGTERM");
    },
  },
  "SIGTERM while the editor does not read": {
    bridge: "goes",
    inject: (it) => {
      it.host.pause();
      kill(it.host.bridgePid, "SIGTERM");
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid && isRunning(pid)) process.kill(pid, signal);
}
