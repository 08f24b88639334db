import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realPis } from "../support/pis.ts";
import { Sandbox } from "../support/sandbox.ts";
import { type Talk, talkTo } from "../support/talk.ts";

/** What pi does otherwise than the person may think, without a word of its own. */
interface Row {
  reason: string;
  given(sandbox: Sandbox): { args?: string[]; initializationOptions?: Record<string, unknown> };
  says: string;
}

const rows: Row[] = [
  {
    reason: "untrusted",
    given: ({ project }) => {
      mkdirSync(join(project, ".pi/prompts"), { recursive: true });
      return {};
    },
    says: "is not trusted",
  },
  {
    reason: "session_elsewhere",
    given: (sandbox) => {
      const session = { type: "session", version: 3, id: "0198a7c0-0000-7000-8000-000000000000" };
      const header = { ...session, timestamp: "2026-01-01T00:00:00.000Z", cwd: sandbox.folder("other") };
      const file = join(sandbox.sessions, "2026-01-01T00-00-00-000Z_0198a7c0-0000-7000-8000-000000000000.jsonl");
      writeFileSync(file, `${JSON.stringify(header)}\n`);
      return { initializationOptions: { session: { file } } };
    },
    says: "pi works there, not in",
  },
  { reason: "no_model", given: () => ({ args: [] }), says: "pi has no model" },
];

const ready = (editor: Talk, restarts: number) =>
  editor.until(
    ({ method, params }) =>
      method === "bridge/state" && params.phase === "ready" && params.restarts === restarts && "warnings" in params,
  );

describe.each(realPis)("$name", (pi) => {
  test.for(rows)("$reason is in the state, and told to the person once", async ({ reason, given, says }) => {
    const sandbox = new Sandbox();
    const { args, initializationOptions } = given(sandbox);
    const launch = { ...pi, launch: () => ({ ...pi.launch(sandbox, []), ...(args && { args }) }) };
    const editor = await talkTo(launch, [], { ...(initializationOptions && { initializationOptions }) }, sandbox);
    const warning = { reason, message: expect.stringContaining(says), hint: expect.any(String) };
    expect((await ready(editor, 0)).params.warnings).toEqual([warning]);
    await editor.call("bridge/restart");
    await editor.call("pi/get_state");
    const told = editor.all("window/showMessage").filter(({ params }) => String(params.message).includes(says));
    expect(told.map(({ params }) => params.type)).toEqual([2]);
  });

  test("without a model, a prompt is refused with the reason", async () => {
    const sandbox = new Sandbox();
    const launch = { ...pi, launch: () => ({ ...pi.launch(sandbox, []), args: [] }) };
    const editor = await talkTo(launch, [], {}, sandbox);
    expect(await editor.request("pi/prompt", { message: "Hello" })).toMatchObject({
      error: {
        data: { kind: "rejected", command: "prompt", reason: "no_model", hint: expect.stringContaining("/login") },
      },
    });
  });

  test("a conversation that was in memory only is said to be lost", async () => {
    const sandbox = new Sandbox();
    const { command, args } = pi.launch(sandbox, []);
    const launch = { ...pi, launch: () => ({ command, args: [...args, "--no-session"] }) };
    const editor = await talkTo(launch, [], {}, sandbox);
    await editor.call("pi/prompt", { message: "say: one" });
    await editor.until("pi/agent_settled");
    expect(await editor.request("pi/prompt", { message: "/die SIGKILL" })).toMatchObject({
      error: { data: { kind: "exited" }, message: expect.stringContaining("was kept in memory only and is lost") },
    });
    expect(await editor.call("pi/get_messages")).toEqual({ messages: [] });
  });
});
