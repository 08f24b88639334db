import { describe, expect, test } from "vitest";
import { pis, realPis } from "../support/pis.ts";
import { deltas, eventNames } from "../support/streams.ts";
import { talkTo } from "../support/talk.ts";
import { answered, block, ended, run, send, started, streamed, toolCall } from "../support/traces.ts";

describe.each(pis)("$name", (pi) => {
  /** pi 0.84 answers a prompt without data. */
  const disposition = (word: string) => ({ result: pi.has("1.6.0") ? { disposition: word } : null });

  test("streams an answer until the agent settles", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...run({ text: ["Hello,", " world."] }),
    ]);
    expect(await editor.request("pi/prompt", { message: "say: Hello, world." })).toEqual(disposition("started"));
    await editor.until("pi/agent_settled");
    expect(deltas(editor, "text_delta")).toEqual(["Hello,", " world."]);
    expect(eventNames(editor)).toEqual(
      [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_start",
        "message_update",
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
      ].toSpliced(2, 0, ...(pi.name === "pi 1.6.0" ? ["message_start", "message_end"] : [])),
    );
  });

  test("answers a prompt that is no script", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...run({ text: ["This is the scripted model speaking."] }),
    ]);
    await editor.call("pi/prompt", { message: "Hello!" });
    await editor.until("pi/agent_settled");
    expect(deltas(editor, "text_delta").join("")).toBe("This is the scripted model speaking.");
  });

  test("streams thinking apart from the answer", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...run({ thinking: ["Let me", " see."], text: ["Yes."] }),
    ]);
    await editor.call("pi/prompt", { message: "think: Let me see.\nsay: Yes." });
    await editor.until("pi/agent_settled");
    expect(deltas(editor, "thinking_delta").join("")).toBe("Let me see.");
    expect(deltas(editor, "text_delta").join("")).toBe("Yes.");
  });

  test("tells of a tool call, its output and its result", async () => {
    const call = { toolCallId: "call_1", toolName: "bash", args: { command: "echo out" } };
    const output = { content: [{ type: "text", text: "out\n" }] };
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      ...toolCall(0, "call_1", "bash", { command: "echo out" }),
      send("tool_execution_start", call),
      send("tool_execution_update", { ...call, partialResult: output }),
      send("tool_execution_end", { ...call, result: output, isError: false, durationMs: 3 }),
      ...streamed(block("text", 0, ["Done."])),
      ...ended(),
    ]);
    await editor.call("pi/prompt", { message: 'tool: bash {"command":"echo out"}\nsay: Done.' });
    await editor.until("pi/agent_settled");
    expect(JSON.parse(deltas(editor, "toolcall_delta").join(""))).toEqual({ command: "echo out" });
    const start = await editor.until("pi/tool_execution_start");
    expect(start.params).toMatchObject({ toolName: "bash", args: { command: "echo out" } });
    const update = await editor.until("pi/tool_execution_update", start);
    const end = await editor.until("pi/tool_execution_end", update);
    expect(end.params).toMatchObject({ isError: false, result: { content: [{ type: "text", text: "out\n" }] } });
    expect(end.params.toolCallId).toBe(start.params.toolCallId);
    expect(deltas(editor, "text_delta", end.at).join("")).toBe("Done.");
  });

  test("tells of a retry, and of its success", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      send("auto_retry_start", { attempt: 1, maxAttempts: 3, delayMs: 10, errorMessage: "529 overloaded" }),
      ...streamed(block("text", 0, ["At", " last."])),
      send("auto_retry_end", { success: true, attempt: 1 }),
      ...ended(),
    ]);
    await editor.call("pi/prompt", { message: "fail: 529 overloaded\nsay: At last." });
    const start = await editor.until("pi/auto_retry_start");
    expect(start.params).toEqual({
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 10,
      errorMessage: "529 overloaded",
    });
    const end = await editor.until("pi/auto_retry_end", start);
    expect(end.params).toEqual({ type: "auto_retry_end", success: true, attempt: 1 });
    await editor.until("pi/agent_settled", start);
    expect(deltas(editor, "text_delta").join("")).toBe("At last.");
  });

  test("tells of a failed run", async () => {
    const message = { role: "assistant", content: [], stopReason: "error", errorMessage: "400 bad" };
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      send("message_end", { message }),
      ...ended(),
    ]);
    await editor.call("pi/prompt", { message: "fail: 400 bad" });
    await editor.until("pi/agent_settled");
    const last = editor.all("pi/message_end").at(-1);
    expect(last?.params.message).toMatchObject({ role: "assistant", stopReason: "error", errorMessage: "400 bad" });
  });

  test("answers a slash command when it ends, and starts no run", async () => {
    const editor = await talkTo(pi, [answered("prompt", { disposition: "handled" })]);
    expect(await editor.request("pi/prompt", { message: "/release" })).toEqual(disposition("handled"));
    expect(editor.all("pi/agent_start")).toEqual([]);
  });
});

describe.each(realPis)("$name, of prompts that come at once", (pi) => {
  test.each([["steer"], ["followUp"], [undefined]])("loses none that it has taken: %s", async (streamingBehavior) => {
    const editor = await talkTo(pi, []);
    const words = ["one", "two", "three"];
    const answers = await Promise.all(
      words.map((word) => {
        const params = { message: `pace: 20\nsay: ${word} is said`, ...(streamingBehavior && { streamingBehavior }) };
        return editor.request("pi/prompt", params);
      }),
    );
    const taken = words.filter((_, at) => "result" in (answers[at] as object));
    expect(taken).toEqual(streamingBehavior ? words : ["one"]);
    const said = async () => JSON.stringify(await editor.call("pi/get_messages"));
    const isIdle = async () => (await editor.call("bridge/state")) as { activity: string };
    while ((await isIdle()).activity !== "idle") await said();
    const all = await said();
    expect(words.filter((word) => all.includes(`"${word} is said"`))).toEqual(taken);
  });
});
