import type * as z from "zod";
import { bridgeMethods, PROTOCOL_VERSION } from "../src/protocol/bridge.ts";
import { commands } from "../src/protocol/commands.ts";
import { type JsonSchema, jsonSchemas } from "../src/protocol/json-schema.ts";

/** `clients/neovim/lua/pi_ls/data.lua`: what the Neovim client knows of the protocol without having been told in Lua. */
export function luaData(): string {
  return `--- What the protocol of pi-language-server has. Written by docs/generate.ts from the tables in src/protocol.
-- stylua: ignore start

---@class pi_ls.Param
---@field name string
---@field type "string"|"number"|"boolean"|"json"
---@field required boolean
---@field values? string[] the only ones that are allowed
---@field about string

---@class pi_ls.Method
---@field summary string
---@field params pi_ls.Param[]

local M = {}

--- The version of the protocol that this client speaks.
M.protocol = ${PROTOCOL_VERSION}

--- The commands of pi.
---@type table<string, pi_ls.Method>
M.commands = {
${Object.entries(commands)
  .map(([name, spec]) => method(name, spec))
  .join("\n")}
}

--- The requests that the bridge adds.
---@type table<string, pi_ls.Method>
M.requests = {
${Object.entries(bridgeMethods.requests)
  .map(([name, spec]) => method(name, spec))
  .join("\n")}
}

return M
`;
}

function method(name: string, spec: { summary: string; params: () => z.ZodObject }): string {
  const schemas = jsonSchemas();
  const schema = schemas.of(spec.params());
  const params = Object.entries(schema.properties ?? {}).map(([key, member]) =>
    param(key, member, schema.required?.includes(key) === true),
  );
  const list = params.length === 0 ? "{}" : `{\n${params.map((line) => `      ${line},\n`).join("")}    }`;
  return `  [${quoted(name)}] = {\n    summary = ${quoted(spec.summary)},\n    params = ${list},\n  },`;
}

function param(name: string, schema: JsonSchema, required: boolean): string {
  const values = schema.enum ? `, values = { ${schema.enum.map((value) => quoted(String(value))).join(", ")} }` : "";
  const about = schema.description ?? "";
  return `{ name = ${quoted(name)}, type = ${quoted(type(schema))}, required = ${required}${values}, about = ${quoted(about)} }`;
}

function type(schema: JsonSchema): string {
  if (schema.type === "integer" || schema.type === "number") return "number";
  return schema.enum || schema.type === "string" ? "string" : schema.type === "boolean" ? "boolean" : "json";
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
