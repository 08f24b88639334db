import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { enclosing } from "../../src/features/ask/enclosing.ts";
import { passageAt, problems, reference } from "../../src/features/ask/passage.ts";
import { Sandbox } from "../support/sandbox.ts";

const at = (line: number, character = 0) => ({ line, character });

const TYPESCRIPT = `import x from "x";

export async function load(path: string): Promise<string> {
  if (path === "") {
    return "";
  }
  return read(path);
}

class Cart {
  total = 0;

  add(price: number): void {
    this.total += price;
  }
}
`;
const PYTHON = `import os

def one():
    if True:
        return 1

    return 2

x = one()
`;
const LUA = `local M = {}

function M.run(x)
  return x
end

return M
`;

test.each([
  ["in a nested block", TYPESCRIPT, 4, { first: 2, last: 7 }],
  ["at its first line", TYPESCRIPT, 2, { first: 2, last: 7 }],
  ["at its closing brace", TYPESCRIPT, 7, { first: 2, last: 7 }],
  ["a method", TYPESCRIPT, 13, { first: 12, last: 14 }],
  ["a member: the class", TYPESCRIPT, 10, { first: 9, last: 15 }],
  ["outside of all", TYPESCRIPT, 0, undefined],
  ["Python", PYTHON, 6, { first: 2, last: 6 }],
  ["Python, behind it", PYTHON, 8, undefined],
  ["Lua", LUA, 3, { first: 2, last: 4 }],
])("the function that a line is in: %s", (_name, text, line, expected) => {
  expect(enclosing(text.split("\n"), line)).toEqual(expected);
});

test("a selection, the function at the cursor, or all of the file", () => {
  const document = TextDocument.create("file:///a.ts", "typescript", 1, TYPESCRIPT);
  const lines = (range?: Parameters<typeof passageAt>[1]) => passageAt(document, range).lines;
  expect(lines({ start: at(3, 2), end: at(4, 5) })).toEqual({ first: 3, last: 4 });
  expect(lines({ start: at(3), end: at(5) })).toEqual({ first: 3, last: 4 });
  expect(lines({ start: at(4), end: at(4) })).toEqual({ first: 2, last: 7 });
  expect(lines(undefined)).toBe(undefined);
});

test("a saved file is named, of another one the text comes along", () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const path = `${sandbox.project}/my notes.ts`;
  writeFileSync(path, "one\ntwo\nthree\n");
  const of = (text: string, uri = pathToFileURL(path).href) => {
    const document = TextDocument.create(uri, "typescript", 1, text);
    return reference({ document, lines: { first: 1, last: 1 } }, sandbox.project);
  };
  expect(of("one\ntwo\nthree\n")).toBe('@"my notes.ts"#L2');
  expect(of("one\n2\nthree\n")).toBe(
    '@"my notes.ts"#L2, which is not saved; this is its text now:\n\n```typescript\n2\n```',
  );
  expect(of("one\n2", "untitled:x")).toBe(
    "the open document untitled:x#L2, which is not saved; this is its text now:\n\n```typescript\n2\n```",
  );
});

test("problems, one a line", () => {
  const range = { start: at(4), end: at(4, 1) };
  expect(
    problems([
      { range, message: "Cannot find\n  name 'x'", severity: 1, source: "ts", code: 2304 },
      { range, message: "unused", severity: 2 },
    ]),
  ).toBe("- line 5: error: Cannot find name 'x' (ts 2304)\n- line 5: warning: unused");
});
