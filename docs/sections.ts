import type { BridgeNotificationSpec, BridgeRequestSpec } from "../src/protocol/bridge.ts";
import type { CommandSpec } from "../src/protocol/commands.ts";
import type { EventSpec } from "../src/protocol/events.ts";
import type { JsonSchema, JsonSchemas } from "../src/protocol/json-schema.ts";
import type { AnnouncementSpec, DialogSpec } from "../src/protocol/ui.ts";
import { code, fence, json, link, paragraphs, table } from "./markdown.ts";
import { inlineType, typeNames, typeText } from "./typetext.ts";

/** The section of one method. Its heading is the method's name, which links rely on. */
export function commandSection(schemas: JsonSchemas, name: string, spec: CommandSpec): string {
  const method = `pi/${name}`;
  return paragraphs(
    `#### ${method}`,
    spec.summary,
    spec.notes,
    parameters(schemas.of(spec.params())),
    result(schemas.of(spec.result())),
    facts(spec),
    exchange(method, spec.example),
  );
}

export function bridgeRequestSection(schemas: JsonSchemas, method: string, spec: BridgeRequestSpec): string {
  return paragraphs(
    `#### ${method}`,
    `Request. ${spec.summary}`,
    spec.notes,
    parameters(schemas.of(spec.params())),
    result(schemas.of(spec.result())),
    spec.order === "alone" ? "- Runs alone: what is sent after it waits for its answer." : undefined,
    exchange(method, spec.example),
  );
}

/** HEADING is false where the request of the same name has it already. */
export function bridgeNotificationSection(
  schemas: JsonSchemas,
  method: string,
  spec: BridgeNotificationSpec,
  heading: boolean,
): string {
  return paragraphs(
    heading ? `#### ${method}` : undefined,
    `Notification. ${spec.summary}`,
    spec.notes,
    typed("Params", schemas.of(spec.params())),
    message({ method, params: spec.example }),
  );
}

export function eventSection(schemas: JsonSchemas, name: string, spec: EventSpec): string {
  return paragraphs(
    `#### pi/${name}`,
    spec.summary,
    spec.notes,
    typed("Params", schemas.of(spec.record())),
    message({ method: `pi/${name}`, params: spec.example }),
  );
}

export function dialogSection(schemas: JsonSchemas, name: string, spec: DialogSpec): string {
  return paragraphs(
    `#### pi/ui/${name}`,
    spec.summary,
    spec.notes,
    typed("Params", schemas.of(spec.record())),
    typed("Answer", schemas.of(spec.answer())),
    exchange(`pi/ui/${name}`, { params: spec.example.record, result: spec.example.answer }),
  );
}

export function announcementSection(schemas: JsonSchemas, name: string, spec: AnnouncementSpec): string {
  return paragraphs(
    `#### pi/ui/${name}`,
    spec.summary,
    spec.notes,
    typed("Params", schemas.of(spec.record())),
    message({ method: `pi/ui/${name}`, params: spec.example }),
  );
}

export function typeSection(name: string, schema: JsonSchema): string {
  return paragraphs(
    `#### type ${name}`,
    schema.description,
    fence("ts", `type ${name} = ${typeText(schema)}`.replace("= \n", "=\n")),
    typeLinks(schema, name),
  );
}

function parameters(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    code(name),
    code(inlineType(member)),
    schema.required?.includes(name) ? "required" : "optional",
    member.description ?? "",
  ]);
  if (rows.length === 0) return "**Parameters:** none.";
  return paragraphs(table(["Parameter", "Type", "", "Meaning"], rows), typeLinks(schema));
}

function result(schema: JsonSchema): string {
  return schema.type === "null" ? "**Result:** `null`" : typed("Result", schema);
}

function typed(title: string, schema: JsonSchema): string {
  const text = typeText(schema);
  if (schema.$ref !== undefined) return `**${title}:** ${link(code(text), `type ${text}`)}`;
  return paragraphs(
    text.includes("\n") ? `**${title}:**\n\n${fence("ts", text)}` : `**${title}:** ${code(text)}`,
    typeLinks(schema),
  );
}

function typeLinks(schema: JsonSchema, self?: string): string {
  const links = typeNames(schema).flatMap((name) => (name === self ? [] : link(code(name), `type ${name}`)));
  return links.length === 0 ? "" : `Types: ${links.join(", ")}`;
}

/** The columns of the table in words. */
function facts(spec: CommandSpec): string {
  const lines = [
    spec.cancel && `Cancelling it sends ${code(spec.cancel.send)} to pi; the request then still gets pi's own answer.`,
    spec.order === "overtakes" && "Overtakes every request that waits.",
    spec.order === "alone" && "Runs alone: what is sent after it waits for its answer.",
    spec.drops &&
      `Waiting ${spec.drops.map((name) => code(`pi/${name}`)).join(", ")} are answered with −32800 and never sent.`,
    spec.closesDialogs && "Closes open dialogs when it is sent.",
  ];
  return lines.flatMap((line) => (line ? [`- ${line}`] : [])).join("\n");
}

function exchange(method: string, example: { readonly params: unknown; readonly result: unknown }): string {
  const { params, result } = example;
  const empty = Object.keys(params as object).length === 0;
  return fence(
    "json",
    [
      json({ jsonrpc: "2.0", id: 7, method, ...(empty ? {} : { params }) }),
      json({ jsonrpc: "2.0", id: 7, result }),
    ].join("\n"),
  );
}

function message(content: { method: string; params: unknown }): string {
  return fence("json", json({ jsonrpc: "2.0", ...content }));
}
