import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import { isDelta } from "../support/streams.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, block, ended, run, send, streamed } from "../support/traces.ts";

interface Traced {
  fromPi?: { type: string; method?: string; command?: string };
}

/** What the test asks for. The bridge asks other questions, on its own. */
const ASKED = ["prompt", "bash", "get_messages"];

/** What pi wrote, in its order, as the editor should see it. */
function written(trace: string): string[] {
  const lines = readFileSync(trace, "utf8").split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    const { fromPi } = JSON.parse(line) as Traced;
    if (!fromPi) return [];
    const { type, method, command = "" } = fromPi;
    if (type === "response") return ASKED.includes(command) ? `answer to ${command}` : [];
    return type === "extension_ui_request" ? `pi/ui/${method}` : `pi/${type}`;
  });
}

/** What the editor got of that, in its order. The ids of the test's requests begin with the command's name. */
function received(editor: Talk): string[] {
  return editor.received.flatMap(({ method, id }) => {
    if (method !== undefined) return method.startsWith("pi/") ? method : [];
    const [command = "", number] = String(id).split("#");
    return number === undefined ? [] : `answer to ${command}`;
  });
}

describe.each(pis)("$name", (pi) => {
  test("events, announcements and answers leave in the order in which pi wrote them", async () => {
    const sandbox = new Sandbox();
    const trace = join(sandbox.root, "trace.jsonl");
    const note = (id: string) => send("extension_ui_request", { id, method: "notify", message: "a note" });
    const editor = await talkTo(
      pi,
      [
        answered("prompt", { disposition: "started" }),
        ...run({ text: Array.from({ length: 200 }, () => "word ") }),
        { expect: { type: "prompt" }, as: "second" },
        { expect: { type: "bash" }, as: "bash" },
        { expect: { type: "get_messages" }, as: "messages" },
        send("agent_start"),
        { to: "second", reply: { disposition: "started" } },
        send("bash_execution_update", { id: "$bash", delta: "1" }),
        { to: "messages", reply: { messages: [] } },
        ...streamed(block("text", 0, ["a", "b"])),
        { to: "bash", reply: { output: "1", exitCode: 0, cancelled: false, truncated: false } },
        { expect: { type: "prompt" }, as: "announce" },
        ...Array.from({ length: 9 }, (_, at) => note(`n${at}`)),
        { to: "announce", reply: { disposition: "handled" } },
        ...ended(),
      ],
      { flags: ["--log", trace] },
      sandbox,
    );
    let sent = 0;
    const request = (method: string, params?: object) =>
      editor.request(method, params, `${method.slice("pi/".length)}#${sent++}`);
    await request("pi/prompt", { message: 'deltas: 200 x "word "' });
    await editor.until("pi/agent_settled");
    const rest = [
      request("pi/prompt", { message: "say: a b\nhold" }),
      request("pi/bash", { command: "printf 1" }),
      request("pi/get_messages"),
    ];
    await editor.until(isDelta("b"));
    rest.push(request("pi/prompt", { message: "/announce" }));
    await Promise.all(rest);
    if (!pi.isFake) {
      await request("pi/prompt", { message: "/release" });
      await editor.until(
        "pi/agent_settled",
        editor.received.findIndex(({ method }) => method === "pi/agent_settled") + 1,
      );
    }
    await editor.close();
    const order = received(editor);
    expect(order.length).toBeGreaterThan(220);
    expect(order).toEqual(written(trace));
  });

  test("requests reach pi in the order in which the editor sent them", async () => {
    const commands = ["get_messages", "get_entries", "get_commands", "get_tree", "get_fork_messages"];
    const words = Array.from({ length: 100 }, (_, at) => commands[at % commands.length] ?? "");
    const editor = await talkTo(
      pi,
      words.map((type) => answered(type, {})),
    );
    const answers = words.map((type, at) => editor.request(`pi/${type}`, {}, at));
    await Promise.all(answers);
    const order = editor.received.flatMap(({ id, method }) =>
      method === undefined && typeof id === "number" ? id : [],
    );
    expect(order).toEqual(words.map((_, at) => at));
  });
});
