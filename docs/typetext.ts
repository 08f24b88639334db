import type { JsonSchema } from "../src/protocol/json-schema.ts";

/** SCHEMA as a type that people can read, in the notation of TypeScript, with the descriptions as comments. */
export function typeText(schema: JsonSchema, indent = ""): string {
  const parts = variants(schema);
  if (parts) return union(parts, indent);
  if (schema.items && listable(schema)) return `${atom(typeText(schema.items, indent), schema.items)}[]`;
  if (schema.properties && !isFlat(schema)) return block(schema, indent);
  return inlineType(schema);
}

/** The same on one line and without comments, for a cell of a table. */
export function inlineType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const parts = variants(schema);
  if (parts) return parts.map(inlineType).join(" | ");
  switch (schema.type) {
    case "array":
      return schema.items ? `${atom(inlineType(schema.items), schema.items)}[]` : "unknown[]";
    case "object":
      return inlineObject(schema);
    case "integer":
      return "number";
    case undefined:
      return "unknown";
    default:
      return String(schema.type);
  }
}

/** The names of the shared types that SCHEMA refers to by itself. */
export function typeNames(schema: JsonSchema): string[] {
  const references = JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g);
  return [...new Set(Array.from(references, ([, reference = ""]) => typeName(reference)))];
}

function typeName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function variants(schema: JsonSchema): JsonSchema[] | undefined {
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return schema.anyOf ?? schema.oneOf ?? schema.allOf;
}

/** Parts stand below each other if they fill several lines or one that is too long; `… | null` needs no line of its own. */
function union(parts: JsonSchema[], indent: string): string {
  const inline = parts.map((part) => typeText(part, indent)).join(" | ");
  const single = parts.filter((part) => part.type !== "null").length < 2;
  if (single || (!inline.includes("\n") && inline.length <= 110)) return inline;
  const inner = `${indent}  `;
  return parts.map((part) => `\n${inner}| ${typeText(part, inner)}`).join("");
}

function listable(schema: JsonSchema): boolean {
  return schema.type === "array" && schema.$ref === undefined;
}

/** What may be an element type without parentheses. */
function atom(text: string, schema: JsonSchema): string {
  return variants(schema) || (schema.enum && schema.enum.length > 1) ? `(${text})` : text;
}

/** A small object without anything to say about its members stands on one line. */
function isFlat(schema: JsonSchema): boolean {
  const members = Object.values(schema.properties ?? {});
  const silent = members.every((member) => member.description === undefined && isFlatMember(member));
  return silent && inlineObject(schema).length <= 80;
}

function isFlatMember(schema: JsonSchema): boolean {
  return [schema, schema.items, ...(variants(schema) ?? [])].every(
    (part) => part?.properties === undefined || isFlat(part),
  );
}

function inlineObject(schema: JsonSchema): string {
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => `${memberName(schema, name)}: ${inlineType(member)}`,
  );
  if (members.length > 0) return `{ ${members.join("; ")} }`;
  return typeof schema.additionalProperties === "object"
    ? `{ [key: string]: ${inlineType(schema.additionalProperties)} }`
    : "{}";
}

function block(schema: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const line = `${inner}${memberName(schema, name)}: ${typeText(member, inner)};`;
    if (member.description === undefined) return [line];
    const comment = `// ${member.description.replaceAll("`", "")}`;
    const fits = !line.includes("\n") && line.length + comment.length < 110;
    return fits ? [`${line} ${comment}`] : [`${inner}${comment}`, line];
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function memberName(schema: JsonSchema, name: string): string {
  return schema.required?.includes(name) ? name : `${name}?`;
}
