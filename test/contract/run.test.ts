import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realPis } from "../support/pis.ts";
import { EVERYTHING, talkTo } from "../support/talk.ts";

interface RunResult {
  text: string;
  stopReason: string;
  error?: string;
  aborted: boolean;
  usage: { output: number; totalTokens: number };
  toolCalls: { id: string; name: string; isError: boolean }[];
  messages: { role: string; content: unknown }[];
}

const NOTHING = { text: "", aborted: false, toolCalls: [] };

/** The smallest image there is: one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

// What runs do depends on what pi does after a prompt; a fake one would only tell what the test has told it.
describe.each(realPis)("$name", (pi) => {
  test("one request from the prompt to the settled run, tool calls included", async () => {
    const editor = await talkTo(pi, [], { optIn: null });
    const message = 'think: hmm\nsay: Let me see.\ntool: bash {"command":"echo 42; exit 3"}\nsay: There are 42.';
    const run = (await editor.call("bridge/run", { message })) as RunResult;
    expect(run).toMatchObject({ text: "There are 42.", stopReason: "stop", aborted: false });
    expect(run.toolCalls).toEqual([{ id: expect.any(String), name: "bash", isError: true }]);
    expect(run.messages.map(({ role }) => role).filter((role) => role !== "system")).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    expect(run.usage.output).toBeGreaterThan(0);
    // A client that has not opted in sees nothing else of it.
    expect(editor.received.filter(({ method }) => method && !method.startsWith("window/"))).toEqual([]);
  });

  test("tells what the agent does, and streams the text", async () => {
    const editor = await talkTo(pi, [], { optIn: null });
    const message = 'think: hmm\nsay: one two three\ntool: bash {"command":"true"}\nsay: four';
    await editor.call("bridge/run", { message, workDoneToken: "work", partialResultToken: 7 });
    const progress = editor.all("$/progress").map(({ params }) => params as { token: unknown; value: object });
    expect(progress.filter(({ token }) => token === "work").map(({ value }) => value)).toEqual([
      { kind: "begin", title: "pi", cancellable: true },
      { kind: "report", message: "waiting for the model" },
      { kind: "report", message: "thinking" },
      { kind: "report", message: "writing" },
      { kind: "report", message: "bash true" },
      { kind: "report", message: "waiting for the model" },
      { kind: "report", message: "writing" },
      { kind: "end" },
    ]);
    const texts = progress.filter(({ token }) => token === 7).map(({ value }) => (value as { text: string }).text);
    expect(texts.join("")).toBe("one two threefour");
  });

  test("a message that starts no run is answered at once", async () => {
    const editor = await talkTo(pi, [], { optIn: null });
    expect(await editor.call("bridge/run", { message: "/name of the session" })).toMatchObject({
      ...NOTHING,
      stopReason: "handled",
      messages: [],
    });
    expect(await editor.call("bridge/run", { message: "say: and on it goes" })).toMatchObject({
      text: "and on it goes",
      stopReason: "stop",
    });
  });

  test("a model error is a result, a retry is not the end", async () => {
    const editor = await talkTo(pi, [], { optIn: null });
    expect(await editor.call("bridge/run", { message: "fail: 400 no such thing" })).toMatchObject({
      ...NOTHING,
      stopReason: "error",
      error: "400 no such thing",
    });
    expect(await editor.call("bridge/run", { message: "fail: 529 overloaded\nsay: recovered" })).toMatchObject({
      text: "recovered",
      stopReason: "stop",
    });
  });

  test("cancelling aborts the run, and the answer tells how far it came", async () => {
    const editor = await talkTo(pi);
    const run = editor.request("bridge/run", { message: "say: so far\nstall" });
    await editor.until(({ text }) => text.includes('"text_delta"') && text.includes("far"));
    editor.cancel(run.id);
    expect(await run).toMatchObject({ result: { text: "so far", stopReason: "aborted", aborted: true } });
    expect(await editor.call("bridge/run", { message: "say: next" })).toMatchObject({ text: "next", aborted: false });
  });

  test("while a run is on: refused, or queued when it says how", async () => {
    const editor = await talkTo(pi);
    const first = editor.request("bridge/run", { message: "say: first\nhold\nsay: end" });
    await editor.until(({ text }) => text.includes('"text_delta"') && text.includes("first"));
    expect(await editor.request("bridge/run", { message: "say: no" })).toMatchObject({
      error: { code: -32803, data: { kind: "rejected", command: "prompt" } },
    });
    const second = editor.request("bridge/run", { message: "say: second", streamingBehavior: "followUp" });
    await editor.until("pi/queue_update");
    await editor.call("pi/prompt", { message: "/release" });
    // The run settles when nothing is queued any more: both are answered then.
    expect(await second).toMatchObject({ result: { text: "second" } });
    expect(await first).toMatchObject({ result: { text: "second" } });
  });

  test("pi's end is the run's end", async () => {
    const editor = await talkTo(pi);
    const run = editor.request("bridge/run", { message: "say: so far\nstall" });
    await editor.until(({ text }) => text.includes('"text_delta"') && text.includes("far"));
    const state = (await editor.call("bridge/state")) as { pi: { pid: number } };
    process.kill(state.pi.pid, "SIGKILL");
    expect(await run).toMatchObject({ error: { code: -32803, data: { kind: "exited", signal: "SIGKILL" } } });
  });

  test("an image is read from its file", async () => {
    const editor = await talkTo(pi);
    writeFileSync(join(editor.sandbox.project, "pixel.image"), PIXEL);
    const image = { type: "image", data: PIXEL.toString("base64"), mimeType: "image/png" };
    const run = (await editor.call("bridge/run", {
      message: "say: seen",
      images: [{ type: "image", path: "pixel.image" }, image],
    })) as RunResult;
    const user = run.messages.find(({ role }) => role === "user");
    expect(user?.content).toEqual([{ type: "text", text: "say: seen" }, image, image]);
  });

  test.each([
    ["missing", { path: "nowhere.png" }, /cannot be read: ENOENT/],
    ["no image", { path: "text.png" }, /is no image of a type that models take/],
    ["too large", { path: "large.png" }, /is too large for pi: \d+ bytes as base64, the limit is \d+/],
  ])("an image file that cannot be sent is refused: %s", async (_, image, message) => {
    const editor = await talkTo(pi, [], { initializationOptions: { maxCommandBytes: 4096 } });
    writeFileSync(join(editor.sandbox.project, "text.png"), "not an image at all");
    writeFileSync(join(editor.sandbox.project, "large.png"), Buffer.concat([PIXEL, Buffer.alloc(4096)]));
    for (const method of ["pi/prompt", "bridge/run"]) {
      const answer = await editor.request(method, { message: "look", images: [{ type: "image", ...image }] });
      expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringMatching(message) } });
    }
    expect(editor.all("pi/agent_start")).toEqual([]);
  });

  test("large results are references that bridge/fetch resolves, while the tool runs and afterwards", async () => {
    const editor = await talkTo(pi, [], { optIn: { ...EVERYTHING, largePayloads: { above: 2000 } } });
    // Records with references are not pi's own any more.
    editor.realPi = undefined;
    const command = "seq 1 1000; cat > /dev/null < fifo";
    await editor.call("pi/bash", { command: "mkfifo fifo" });
    await editor.call("pi/prompt", { message: `tool: bash ${JSON.stringify({ command })}\nsay: done` });
    const isReference = (method: string) => (message: { method?: string; text: string }) =>
      message.method === method && message.text.includes('"type":"reference"');
    const update = await editor.until(isReference("pi/tool_execution_update"));
    const [reference] = (update.params.partialResult as { content: { id: string; of: string; bytes: number }[] })
      .content;
    expect(reference).toMatchObject({ type: "reference", of: "text", preview: expect.stringMatching(/^1\n2\n/) });
    const soFar = (await editor.call("bridge/fetch", { id: reference?.id })) as { type: string; text: string };
    expect(soFar).toMatchObject({ type: "text", text: expect.stringMatching(/^1\n2\n.*\n1000/s) });
    await editor.call("pi/bash", { command: "echo > fifo" });
    await editor.until("pi/agent_settled");
    const end = await editor.until(isReference("pi/tool_execution_end"));
    const [final] = (end.params.result as { content: { id: string }[] }).content;
    expect(await editor.call("bridge/fetch", { id: final?.id })).toMatchObject({ type: "text", text: soFar.text });
    expect(await editor.request("bridge/fetch", { id: "2048:tool:content/0:nowhere" })).toMatchObject({
      error: { code: -32602, data: { kind: "invalid_params", issues: [{ path: ["id"] }] } },
    });
  });

  test("with references, no record of a large result is large, whatever the tool repeats in it", async () => {
    const editor = await talkTo(pi, [], { optIn: { ...EVERYTHING, largePayloads: { above: 1024 } } });
    editor.realPi = undefined;
    const command = "seq 1 20000; cat > /dev/null < fifo";
    await editor.call("pi/bash", { command: "mkfifo fifo" });
    const tools = ["seq 1 20000", command].map((word) => `tool: bash ${JSON.stringify({ command: word })}`);
    await editor.call("pi/prompt", { message: `${tools.join("\n")}\nsay: done` });
    const end = await editor.until("pi/tool_execution_end");
    const ids = [...end.text.matchAll(/"id":"(\d+:tool:[^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      const { text } = (await editor.call("bridge/fetch", { id })) as { text: string };
      expect(text.length).toBeGreaterThan(1024);
      expect(text).toContain("20000");
    }
    await editor.call("pi/bash", { command: "echo > fifo" });
    await editor.until("pi/agent_settled");
    const sizes = editor.received.map(({ method, text }) => ({ method, size: text.length }));
    expect(sizes.filter(({ size, method }) => method?.startsWith("pi/") && size > 16 * 1024)).toEqual([]);
  });

  test("coalesced, a stream is the same text in fewer messages", async () => {
    const editor = await talkTo(pi, [], { optIn: { ...EVERYTHING, coalesce: { ms: 33 } } });
    const run = (await editor.call("bridge/run", { message: 'deltas: 2000 x "word "' })) as RunResult;
    const deltas = editor
      .all("pi/message_update")
      .map(({ params }) => params.assistantMessageEvent as { type: string; delta: string })
      .filter(({ type }) => type === "text_delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(run.text);
    expect(run.text).toBe("word ".repeat(2000));
    expect(deltas.length).toBeLessThan(500);
  });
});
