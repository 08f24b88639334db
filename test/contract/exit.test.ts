import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { isDelta } from "../support/streams.ts";
import { type Talk, talkTo } from "../support/talk.ts";
import { answered, run, send, started, update } from "../support/traces.ts";

/** How pi ends, as the fake one does it, and what the errors say. */
const deaths: [how: string, step: Step, exit: { exitCode: number | null; signal: string | null }][] = [
  ["3", { exit: 3 }, { exitCode: 3, signal: null }],
  ["0", { exit: 0 }, { exitCode: 0, signal: null }],
  ["SIGKILL", { kill: "SIGKILL" }, { exitCode: null, signal: "SIGKILL" }],
];

const exited = (exit: object, more: object = {}) => ({
  error: {
    code: -32803,
    message: expect.stringMatching(/^pi has ended \(/),
    data: { kind: "exited", ...exit, stderr: expect.any(String), ...more },
  },
});

const ready = (editor: Talk, restarts: number) =>
  editor.until(
    ({ method, params }) => method === "bridge/state" && params.phase === "ready" && params.restarts === restarts,
  );

describe.each(pis)("$name", (pi) => {
  test.for(deaths)(
    "ends by %s: every open request fails, and the conversation goes on with the next pi",
    async ([how, step, exit]) => {
      const editor = await talkTo(pi, [
        answered("prompt", { disposition: "started" }),
        ...run({ text: ["one"] }),
        { expect: { type: "bash" } },
        { expect: { type: "prompt" } },
        { stderr: "last words\n" },
        step,
        { restart: true },
        answered("get_last_assistant_text", { text: "one" }),
      ]);
      await editor.call("pi/prompt", { message: "say: one" });
      await editor.until("pi/agent_settled");
      const { sessionId } = (await editor.call("pi/get_state")) as { sessionId: string };
      const bash = editor.request("pi/bash", { command: "sleep 600" });
      const death = editor.request("pi/prompt", { message: `/die ${how}` });
      expect(await bash).toEqual(exited(exit));
      expect(await death).toEqual(exited(exit, { prompt: `/die ${how}` }));
      await ready(editor, 1);
      expect(await editor.request("pi/get_last_assistant_text")).toEqual({ result: { text: "one" } });
      expect(await editor.call("pi/get_state")).toMatchObject({ sessionId });
    },
  );

  test("what was typed and not yet taken comes back", async () => {
    const editor = await talkTo(pi, [
      answered("prompt", { disposition: "started" }),
      ...started(),
      update({ type: "text_delta", contentIndex: 0, delta: "waiting" }),
      answered("steer", { disposition: "queued" }),
      send("queue_update", { steering: ["say: left"], followUp: [] }),
      { expect: { type: "prompt" } },
      { kill: "SIGKILL" },
      { restart: true },
    ]);
    await editor.call("pi/prompt", { message: "say: waiting\nhold" });
    await editor.until(isDelta("waiting"));
    await editor.call("pi/steer", { message: "say: left" });
    await editor.until("pi/queue_update");
    expect(await editor.request("pi/prompt", { message: "/die SIGKILL" })).toEqual(
      exited(
        { exitCode: null, signal: "SIGKILL" },
        { prompt: "/die SIGKILL", queue: { steering: ["say: left"], followUp: [] } },
      ),
    );
    const { params } = await ready(editor, 1);
    expect(params).toMatchObject({ activity: "idle", queue: { steering: [], followUp: [] } });
    // pi 1.6 saves a prompt at once, pi 0.84 with the first answer, and the fake one never.
    const unsaved = pi.has("1.6.0") && !pi.isFake ? [] : ["say: waiting\nhold"];
    expect(params.lost).toEqual({ prompts: [...unsaved, "/die SIGKILL"], steering: ["say: left"], followUp: [] });
  });
});
