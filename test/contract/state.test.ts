import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import { isRunning } from "../support/processes.ts";
import { FAKE_STATE } from "../support/scenario.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, block, ended, send, started, streamed, update } from "../support/traces.ts";

interface State {
  phase: string;
  activity: string;
  pi?: { pid: number; version?: string; command: string[] };
  session?: { id: string; file: string; cwd: string };
  queue: { steering: string[]; followUp: string[] };
}

const states = (editor: Talk): State[] => editor.all("bridge/state").map(({ params }) => params as unknown as State);

/** The values of a member in the order in which they were told, each once in a row. */
function told<K extends "phase" | "activity">(editor: Talk, member: K): string[] {
  const values = states(editor).map((state) => state[member]);
  return values.filter((value, at) => value !== values[at - 1]);
}

const isReady = (editor: Talk) =>
  editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");

describe.each(pis)("$name", (pi) => {
  test("tells everything of an idle pi", async () => {
    const editor = await talkTo(pi);
    await isReady(editor);
    const pid = states(editor).at(-1)?.pi?.pid ?? 0;
    const { sessionId, sessionFile } = (await editor.call("pi/get_state")) as typeof FAKE_STATE;
    const { command, args } = pi.launch(editor.sandbox, []);
    const state = await editor.until(({ method, params }) => method === "bridge/state" && params.usage !== undefined);
    expect(state.params).toEqual({
      phase: "ready",
      activity: "idle",
      pi: { pid, command: [...command, "--mode", "rpc", ...args], ...(!pi.isFake && { version: pi.name.slice(3) }) },
      restarts: 0,
      session: { id: sessionId, file: sessionFile, cwd: editor.sandbox.project },
      model: pi.isFake ? { provider: "fake", id: "fake-model" } : { provider: "scripted", id: "script" },
      thinkingLevel: "medium",
      queue: { steering: [], followUp: [] },
      usage: pi.isFake
        ? { tokens: 100, percent: 10, contextWindow: 1000, cost: 0 }
        : { tokens: expect.any(Number), percent: expect.any(Number), contextWindow: 200_000, cost: 0 },
      dialogs: 0,
    });
    expect(await editor.call("bridge/state")).toEqual(state.params);
    expect(isRunning(pid)).toBe(true);
    expect(told(editor, "phase")).toEqual(["starting", "ready"]);
  });

  test("follows a run, its queue and its end", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      update({ type: "text_delta", contentIndex: 0, delta: "waiting" }),
      { expect: { type: "follow_up" }, as: "later" },
      send("queue_update", { steering: [], followUp: ["say: later"] }),
      { to: "later", reply: { disposition: "queued" } },
      answered("prompt", { disposition: "handled" }),
      send("queue_update", { steering: [], followUp: [] }),
      ...streamed(block("text", 0, ["later"])),
      ...ended(),
    ]);
    await editor.call("pi/prompt", { message: "say: waiting\nhold" });
    await editor.until(({ method, params }) => method === "bridge/state" && params.activity === "running");
    await editor.call("pi/follow_up", { message: "say: later" });
    const queued = await editor.until(
      ({ method, params }) => method === "bridge/state" && (params as unknown as State).queue.followUp.length > 0,
    );
    expect(queued.params).toMatchObject({ activity: "running", queue: { steering: [], followUp: ["say: later"] } });
    await editor.call("pi/prompt", { message: "/release" });
    await editor.until("pi/agent_settled");
    await editor.until(({ method, params }) => method === "bridge/state" && params.activity === "idle", queued);
    expect(told(editor, "activity")).toEqual(["idle", "running", "idle"]);
    expect(states(editor).at(-1)?.queue).toEqual({ steering: [], followUp: [] });
  });

  test("follows a change of the thinking level and of the model", async () => {
    const model = { ...FAKE_STATE.model, id: "plain" };
    const editor = await talkTo(pi, [
      { expect: { type: "set_thinking_level" }, as: "level" },
      { state: { ...FAKE_STATE, thinkingLevel: "high" } },
      { to: "level", reply: null },
      { expect: { type: "cycle_model" }, as: "model" },
      { state: { ...FAKE_STATE, model, thinkingLevel: "off" } },
      { to: "model", reply: { model, thinkingLevel: "off", isScoped: false } },
    ]);
    await editor.call("pi/set_thinking_level", { level: "high" });
    await editor.until(({ method, params }) => method === "bridge/state" && params.thinkingLevel === "high");
    await editor.call("pi/cycle_model");
    const changed = await editor.until(
      ({ method, params }) => method === "bridge/state" && params.thinkingLevel === "off",
    );
    expect(changed.params.model).toMatchObject({ id: "plain" });
  });
});
