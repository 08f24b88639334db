import { describe, expect, test } from "vitest";
import { pis } from "../support/pis.ts";
import type { Step } from "../support/scenario.ts";
import { talkTo } from "../support/talk.ts";
import { send } from "../support/traces.ts";

/** A piece of the output of the command that a step has named. */
const output = (name: string, delta: string): Step => send("bash_execution_update", { id: `$${name}`, delta });

const result = (text: string) => ({ output: text, exitCode: 0, cancelled: false, truncated: false });
const cancelled = (text: string) => ({ output: text, cancelled: true, truncated: false });

describe.each(pis)("$name", (pi) => {
  test("streams the output under the editor's own id", async () => {
    const ids = [7, "seven", "7", 1.5e9, 'may be ünïcode \u2028 and {"id":1}'];
    const command = "echo one; echo two >&2";
    const editor = await talkTo(
      pi,
      ids.flatMap((_, at) => [
        { exactly: { type: "bash", command }, as: `bash${at}` },
        output(`bash${at}`, "one\n"),
        output(`bash${at}`, "two\n"),
        { to: `bash${at}`, reply: result("one\ntwo\n") },
      ]),
    );
    for (const id of ids) {
      const from = editor.received.length;
      expect(await editor.request("pi/bash", { command }, id)).toEqual({ result: result("one\ntwo\n") });
      const updates = editor.all("pi/bash_execution_update").filter(({ at }) => at >= from);
      expect(new Set(updates.map(({ params }) => params.id))).toEqual(new Set([id]));
      expect(updates.map(({ params }) => params.delta).join("")).toBe("one\ntwo\n");
    }
  });

  test("tells two commands apart", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "bash" }, as: "first" },
      { expect: { type: "bash" }, as: "second" },
      output("second", "B"),
      output("first", "A"),
      { to: "second", reply: result("B") },
      { to: "first", reply: result("A") },
    ]);
    const first = editor.request("pi/bash", { command: "printf A" }, "first");
    const second = editor.request("pi/bash", { command: "printf B" }, "second");
    expect(await first).toEqual({ result: result("A") });
    expect(await second).toEqual({ result: result("B") });
    const updates = editor.all("pi/bash_execution_update").map(({ params }) => [params.id, params.delta]);
    expect(updates.toSorted()).toEqual([
      ["first", "A"],
      ["second", "B"],
    ]);
  });

  test("gives the exit code of a command that fails", async () => {
    const editor = await talkTo(pi, [
      { exactly: { type: "bash", command: "exit 3", excludeFromContext: true }, reply: { ...result(""), exitCode: 3 } },
    ]);
    expect(await editor.request("pi/bash", { command: "exit 3", excludeFromContext: true })).toEqual({
      result: { ...result(""), exitCode: 3 },
    });
  });

  test("a cancelled command is stopped, and gives its own answer", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "bash" }, as: "bash" },
      output("bash", "on it\n"),
      { exactly: { type: "abort_bash" }, as: "abort" },
      { to: "bash", reply: cancelled("on it\n") },
      { to: "abort", reply: null },
    ]);
    const bash = editor.request("pi/bash", { command: "echo on it; sleep 60" });
    await editor.until("pi/bash_execution_update");
    editor.cancel(bash.id);
    expect(await bash).toEqual({ result: cancelled("on it\n") });
  });

  test("abort_bash ends every command", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "bash" }, as: "first" },
      { expect: { type: "bash" }, as: "second" },
      output("first", "1"),
      output("second", "2"),
      { expect: { type: "abort_bash" }, reply: null },
      { to: "first", reply: cancelled("1") },
      { to: "second", reply: cancelled("2") },
    ]);
    const both = [1, 2].map((n) => editor.request("pi/bash", { command: `printf ${n}; sleep 60` }, `bash ${n}`));
    for (const { id } of both) await editor.until(({ params }) => params.id === id);
    expect(await editor.request("pi/abort_bash")).toEqual({ result: null });
    expect(await Promise.all(both)).toEqual([{ result: cancelled("1") }, { result: cancelled("2") }]);
  });

  test("passes bytes that are no UTF-8 on as pi does", async () => {
    const editor = await talkTo(pi, [
      { expect: { type: "bash" }, as: "bash" },
      output("bash", "\ufffd|\u2028|"),
      { to: "bash", reply: result("\ufffd|\u2028|") },
    ]);
    const answer = await editor.request("pi/bash", { command: "printf '\\377|\\342\\200\\250|'" });
    expect(answer).toEqual({ result: result("\ufffd|\u2028|") });
    const updates = editor.all("pi/bash_execution_update");
    expect(updates.map(({ params }) => params.delta).join("")).toBe("\ufffd|\u2028|");
  });
});
