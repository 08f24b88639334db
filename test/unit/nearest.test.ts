import fc from "fast-check";
import { expect, test } from "vitest";
import { nearest } from "../../src/bridge/nearest.ts";
import { commands } from "../../src/protocol/commands.ts";

const names = Object.keys(commands);

test.for<[typed: string, meant: string | undefined]>([
  ["promt", "prompt"],
  ["getState", "get_state"],
  ["get-state", "get_state"],
  ["GET STATE", "get_state"],
  ["newSession", "new_session"],
  ["abrt", "abort"],
  ["followup", "follow_up"],
  ["compacct", "compact"],
  ["set_session_nam", "set_session_name"],
  ["", undefined],
  ["x", undefined],
  ["textDocument", undefined],
  ["constructor", undefined],
  ["__proto__", "prompt"],
  ["prompt".repeat(20), undefined],
])("%j", ([typed, meant]) => {
  expect(nearest(typed, names)).toBe(meant);
});

test("a name is nearest to itself, and no name at all is near to none", () => {
  for (const name of names) expect(nearest(name, names)).toBe(name);
  expect(nearest("prompt", [])).toBeUndefined();
});

test("one slip is forgiven", () => {
  const slip = fc.record({ name: fc.constantFrom(...names), at: fc.nat(40), letter: fc.constantFrom("a", "q", "z") });
  fc.assert(
    fc.property(slip, fc.constantFrom("insert", "replace", "leave out"), ({ name, at, letter }, how) => {
      const where = at % name.length;
      const typed =
        name.slice(0, where) + (how === "leave out" ? "" : letter) + name.slice(where + (how === "insert" ? 0 : 1));
      const meant = nearest(typed, names);
      // Another name may be as near: `set_model` and `get_model`.
      expect(meant).toBeDefined();
      if (!names.includes(typed) && how === "insert") expect(meant).toBe(name);
    }),
    { numRuns: 500 },
  );
});
