/**
 * A bridge that says what it is told: answers `initialize`, then plays the scenario that is its argument.
 *
 *     flood N BYTES [FIRST]   a delta FIRST, then N text deltas of BYTES, as fast as they are taken, within an answer
 *     bytes FILE              the bytes of FILE, each in a write of its own
 *     die TEXT                TEXT on stderr, then the end
 *
 * It ends when its input does, and answers every other request with null.
 */
import { readFileSync } from "node:fs";

const [scenario, ...args] = process.argv.slice(2);
let input = Buffer.alloc(0);

process.stdin.on("data", (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(input.toString("latin1", 0, 64));
    if (!head || input.length < head[0].length + Number(head[1])) return;
    const end = head[0].length + Number(head[1]);
    const message = JSON.parse(input.toString("utf8", head[0].length, end));
    input = input.subarray(end);
    if (message.method === "initialize") send({ id: message.id, result: { capabilities: {} } });
    else if (message.method === "play") void scenarios[scenario](...args);
    else if (message.id !== undefined && message.method) send({ id: message.id, result: null });
  }
});
process.stdin.on("end", () => process.exit(0));

const scenarios = {
  async flood(count, bytes, first) {
    const delta = "lorem ipsum dolor sit amet ".repeat(Math.ceil(bytes / 27)).slice(0, bytes - 1);
    event("message_start", { message: { role: "assistant", content: [] } });
    if (first) update({ type: "text_delta", contentIndex: 0, delta: first });
    for (let at = 0; at < count; at++) {
      const end = at % 12 === 11 ? "\n" : " ";
      const more = update({ type: "text_delta", contentIndex: 0, delta: delta + end });
      if (!more) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
    event("agent_settled", {});
  },
  die(text) {
    process.stderr.write(text, () => process.exit(1));
  },
  async bytes(file) {
    for (const byte of readFileSync(file)) {
      await new Promise((resolve) => process.stdout.write(Buffer.of(byte), resolve));
      await new Promise(setImmediate);
    }
  },
};

function update(assistantMessageEvent) {
  return event("message_update", { assistantMessageEvent });
}

function event(type, members) {
  return send({ method: `pi/${type}`, params: { type, ...members } });
}

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  return process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
