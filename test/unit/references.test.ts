import { expect, test } from "vitest";
import { parseReference, withReferences } from "../../src/bridge/references.ts";

const LIMIT = 1024;
const LARGE = "é".repeat(600);

function result(fields: object): Buffer {
  return Buffer.from(JSON.stringify({ type: "tool_execution_end", toolCallId: "a:b/c", result: fields }));
}

test("every large text of a tool's result becomes a reference that says where it stands", () => {
  const line = result({
    content: [
      { type: "text", text: LARGE },
      { type: "text", text: "short" },
    ],
    details: { "a/b:c": [LARGE], n: 1 },
    structuredContent: LARGE,
  });
  const seen = JSON.parse(withReferences(line, LIMIT).toString()).result;
  const reference = (place: string) => ({
    type: "reference",
    id: `1200:tool:${place}:a:b/c`,
    of: "text",
    bytes: 1200,
    preview: "é".repeat(200),
  });
  expect(seen).toEqual({
    content: [reference("content/0"), { type: "text", text: "short" }],
    details: { "a/b:c": [reference("details/a%2Fb%3Ac/0")], n: 1 },
    structuredContent: reference("structuredContent"),
  });
  expect(parseReference(seen.details["a/b:c"][0].id)).toEqual({
    in: "tool",
    bytes: 1200,
    path: ["details", "a/b:c", "0"],
    toolCallId: "a:b/c",
  });
});

test("of other messages only the images are replaced", () => {
  const content = [
    { type: "text", text: LARGE },
    { type: "image", data: LARGE, mimeType: "image/png" },
  ];
  const line = Buffer.from(JSON.stringify({ type: "message_end", message: { role: "user", timestamp: 7, content } }));
  const seen = JSON.parse(withReferences(line, LIMIT).toString()).message.content;
  const id = "1200:message:content/1:user:7";
  expect(seen).toEqual([content[0], { type: "reference", id, of: "image", bytes: 1200, mimeType: "image/png" }]);
  expect(parseReference(id)).toEqual({
    in: "message",
    bytes: 1200,
    path: ["content", "1"],
    role: "user",
    timestamp: 7,
  });
});

test("what is nested too deeply to be written anew, and what is no record, stays as it is", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const lines = [
    `{"type":"tool_execution_end","toolCallId":"a","result":{"content":[{"type":"text","text":"${LARGE}"}],"details":${deep}}}`,
    `{"no record ${LARGE}`,
  ].map((line) => Buffer.from(line));
  for (const line of lines) expect(withReferences(line, LIMIT)).toBe(line);
});

test.for(["", "tool:content/0:a", "12:tool:%zz:a", "12:message:content/0:user", "12:other:content/0:a", "x:tool:a:b"])(
  "%j is no reference",
  (id) => {
    expect(parseReference(id)).toBeUndefined();
  },
);
