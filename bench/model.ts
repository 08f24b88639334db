import { setImmediate as turn } from "node:timers/promises";
import { type AssistantMessage, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** As many deltas as a provider's HTTP chunk often brings: between two of them the event loop turns. */
const DELTAS_A_TURN = 4;

/** A pi extension: a model that answers in pi's own process with as many text deltas as the prompt's last word says. */
export default function (pi: ExtensionAPI): void {
  pi.registerProvider("bench", {
    baseUrl: "http://127.0.0.1",
    apiKey: "none",
    api: "bench",
    models: [
      {
        id: "deltas",
        name: "Deltas",
        reasoning: false,
        input: ["text"],
        cost: { input: 1, output: 5, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 10_000_000,
        maxTokens: 1_000_000,
      },
    ],
    streamSimple: (model, { messages }) => {
      const stream = createAssistantMessageEventStream();
      const count = Number(
        /(\d+)\D*$/.exec(JSON.stringify(messages.findLast(({ role }) => role === "user")?.content))?.[1],
      );
      const block = { type: "text" as const, text: "" };
      const message: AssistantMessage = {
        role: "assistant",
        content: [block],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage: {
          input: 1200,
          output: 0,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 1200,
          cost: { input: 0.0012, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.0012 },
        },
        stopReason: "pending",
        timestamp: Date.now(),
      };
      void (async () => {
        stream.push({ type: "start", partial: message });
        stream.push({ type: "text_start", contentIndex: 0, partial: message });
        for (let sent = 0; sent < count; sent++) {
          const delta = `word ${sent} `;
          block.text += delta;
          message.usage.output = sent + 1;
          message.usage.totalTokens = 1201 + sent;
          stream.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
          if (sent % DELTAS_A_TURN === 0) await turn();
        }
        stream.push({ type: "text_end", contentIndex: 0, content: block.text, partial: message });
        message.stopReason = "stop";
        stream.push({ type: "done", reason: "stop", message });
        stream.end();
      })();
      return stream;
    },
  });
}
