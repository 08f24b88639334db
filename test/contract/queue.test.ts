import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import { FAKE_STATE, type Step } from "../support/scenario.ts";
import { deltas, isDelta } from "../support/streams.ts";
import type { Talk } from "../support/talk.ts";
import { talkTo } from "../support/talk.ts";
import { answered, block, ended, send, started, streamed, update } from "../support/traces.ts";

/** A run that has said a word and holds. */
const holding: Step[] = [
  answered("prompt", { disposition: "started" }),
  ...started(),
  update({ type: "text_delta", contentIndex: 0, delta: "waiting" }),
];

async function hold(editor: Talk): Promise<void> {
  await editor.call("pi/prompt", { message: "say: waiting\nhold" });
  await editor.until(isDelta("waiting"));
}

const queue = (steering: string[], followUp: string[]): Step => send("queue_update", { steering, followUp });

describe.each(pis)("$name", (pi) => {
  const disposition = (word: string) => ({ result: pi.has("1.6.0") ? { disposition: word } : null });

  test.for([
    ["pi/steer", "steer", "steering"],
    ["pi/follow_up", "follow_up", "followUp"],
  ] as const)("%s queues a message that the run then takes", async ([method, command, kind]) => {
    const message = "say: changed course";
    const texts = { steering: [] as string[], followUp: [] as string[], [kind]: [message] };
    const editor = await talkTo(pi, [
      ...holding,
      { exactly: { type: command, message }, as: "queued" },
      queue(texts.steering, texts.followUp),
      { to: "queued", reply: { disposition: "queued" } },
      answered("prompt", { disposition: "handled" }),
      queue([], []),
      ...streamed(block("text", 0, ["changed", " course"])),
      ...ended(),
    ]);
    await hold(editor);
    expect(await editor.request(method, { message })).toEqual(disposition("queued"));
    const full = await editor.until("pi/queue_update");
    expect(full.params).toEqual({ type: "queue_update", ...texts });
    await editor.call("pi/prompt", { message: "/release" });
    const empty = await editor.until("pi/queue_update", full);
    expect(empty.params).toEqual({ type: "queue_update", steering: [], followUp: [] });
    await editor.until("pi/agent_settled", empty);
    expect(deltas(editor, "text_delta", empty.at).join("")).toBe("changed course");
  });

  test("a prompt during a run needs to know where it goes", async () => {
    const busy = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
    const editor = await talkTo(pi, [
      ...holding,
      { expect: { type: "prompt" }, reject: busy },
      { exactly: { type: "prompt", message: "say: later", streamingBehavior: "followUp" }, as: "queued" },
      queue([], ["say: later"]),
      { to: "queued", reply: { disposition: "queued" } },
      answered("abort"),
      ...ended(true),
    ]);
    await hold(editor);
    expect(await editor.request("pi/prompt", { message: "say: now" })).toEqual({
      error: { code: -32803, message: busy, data: { kind: "rejected", command: "prompt" } },
    });
    const later = { message: "say: later", streamingBehavior: "followUp" };
    expect(await editor.request("pi/prompt", later)).toEqual(disposition("queued"));
    await editor.call("pi/abort");
    await editor.until("pi/agent_settled");
  });

  test("what is queued when another session is opened comes back, and is in no queue any more", async () => {
    const editor = await talkTo(pi, [
      ...holding,
      answered("steer", { disposition: "queued" }),
      queue(["say: left"], []),
      { expect: { type: "new_session" }, as: "new" },
      { state: { ...FAKE_STATE, sessionId: "another" } },
      { to: "new", reply: { cancelled: false } },
    ]);
    await hold(editor);
    await editor.call("pi/steer", { message: "say: left" });
    await editor.until(
      ({ method, params }) => method === "bridge/state" && `${JSON.stringify(params.queue)}`.includes("left"),
    );
    await editor.call("pi/new_session");
    // pi 0.84 delivers it, and then opens the other one.
    if (!pi.has("1.6.0")) return expect(deltas(editor, "text_delta").join("")).toContain("left");
    const { params } = await editor.until(({ method, params: now }) => method === "bridge/state" && "lost" in now);
    expect(params).toMatchObject({
      lost: { prompts: [], steering: ["say: left"], followUp: [] },
      queue: { steering: [], followUp: [] },
    });
  });

  test("clear_queue gives the texts back", async () => {
    const editor = await talkTo(pi, [
      ...holding,
      answered("steer", { disposition: "queued" }),
      answered("follow_up", { disposition: "queued" }),
      answered("clear_queue", { steering: ["one"], followUp: ["two"] }),
      answered("abort"),
      ...ended(true),
    ]);
    await hold(editor);
    await editor.call("pi/steer", { message: "one" });
    await editor.call("pi/follow_up", { message: "two" });
    expect(await editor.request("pi/clear_queue")).toEqual(
      pi.has("1.6.0")
        ? { result: { steering: ["one"], followUp: ["two"] } }
        : { error: { code: -32601, message: 'pi does not know the command "clear_queue".' } },
    );
    await editor.call("pi/abort");
    await editor.until("pi/agent_settled");
  });

  test("abort ends the run before it is answered", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      { expect: { type: "abort" }, as: "abort" },
      ...ended(true),
      { to: "abort", reply: null },
    ]);
    await editor.call("pi/prompt", { message: "stall" });
    await editor.until("pi/agent_start");
    const abort = editor.request("pi/abort");
    expect(await abort).toEqual({ result: null });
    const settled = await editor.until("pi/agent_settled");
    const answer = await editor.until(({ id, method }) => id === abort.id && method === undefined);
    expect(settled.at).toBeLessThan(answer.at);
    expect(settled.params).toEqual({ type: "agent_settled", ...(pi.has("1.6.0") && { aborted: true }) });
  });
});
