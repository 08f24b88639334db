import { expect, test } from "vitest";
import { staleFiles } from "../../docs/generate.ts";
import { anchor } from "../../docs/markdown.ts";
import { protocolPage } from "../../docs/protocol.ts";
import { inlineType, typeText } from "../../docs/typetext.ts";
import type { JsonSchema } from "../../src/protocol/json-schema.ts";

test("the generated documents are fresh: node docs/generate.ts", () => {
  expect(staleFiles()).toEqual([]);
});

test("links of the page lead to headings, and no two headings are alike", () => {
  const text = protocolPage().replaceAll(/^```[\s\S]*?^```/gm, "");
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => anchor(heading));
  const links = Array.from(text.matchAll(/\]\(#([^)]*)\)/g), ([, target = ""]) => target);
  expect(links.filter((target) => !headings.includes(target))).toEqual([]);
  expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  expect(headings.length).toBeGreaterThan(100);
});

test.each([
  ["string", { type: "string" }],
  ["number", { type: "integer" }],
  ["string | null", { type: ["string", "null"] }],
  ['"all" | "one-at-a-time"', { type: "string", enum: ["all", "one-at-a-time"] }],
  ["(string | number)[]", { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }],
  ["Model", { $ref: "#/components/schemas/Model" }],
  ["Model[]", { type: "array", items: { $ref: "#/components/schemas/Model" } }],
  ["{ [key: string]: string }", { type: "object", additionalProperties: { type: "string" } }],
  ["{}", { type: "object", properties: {} }],
  ["unknown", {}],
  [
    "{ a: string; b?: number }",
    { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] },
  ],
] satisfies [string, JsonSchema][])("the type %s", (text, schema) => {
  expect([inlineType(schema), typeText(schema)]).toEqual([text, text]);
});

test("members with a description stand on lines of their own", () => {
  const schema: JsonSchema = {
    anyOf: [
      { type: "object", properties: { a: { type: "string", description: "What `a` is." } }, required: ["a"] },
      { type: "null" },
    ],
  };
  expect(typeText(schema)).toBe("{\n  a: string; // What a is.\n} | null");
});
