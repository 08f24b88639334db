import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyChanges } from "../../src/features/chat/changes.ts";
import { replay, type Step } from "./recording.ts";

// Made by test/editors/record.ts.
const folder = join(import.meta.dirname, "recorded");
const rows = readdirSync(folder).map((name) => ({
  name,
  steps: readFileSync(join(folder, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Step),
}));

/** The document in the end, by what the editor said and nothing else. */
function textOf(steps: readonly Step[]): string {
  return steps.reduce((text, step) => {
    if ("opened" in step) return step.opened.text;
    return "changed" in step ? applyChanges(text, step.changed.changes).text : text;
  }, "");
}

test("Neovim, Helix and eglot have been recorded", () => {
  const clients = rows.flatMap(({ steps }) => steps.flatMap((step) => ("opened" in step ? [step.opened.client] : [])));
  expect([...new Set(clients)].sort()).toEqual(["Eglot", "Neovim", "helix"]);
});

test.each(rows)("what the editor said, and the edits that were made of it: $name", ({ steps }) => {
  const sent = steps.flatMap((step) => ("sent" in step ? [step.sent] : []));
  expect(sent.length).toBeGreaterThan(3);
  expect(replay(steps)).toEqual({ sent, text: textOf(steps), trouble: [], isIdle: true });
});
