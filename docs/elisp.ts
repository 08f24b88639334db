import type * as z from "zod";
import { bridgeMethods } from "../src/protocol/bridge.ts";
import { commandGroups } from "../src/protocol/commands.ts";
import { type JsonSchema, jsonSchemas } from "../src/protocol/json-schema.ts";
import { dialogs } from "../src/protocol/ui.ts";

/** Emacs Lisp data; a `Bare` is written bare and everything else as JSON would have it. */
type Lisp = string | number | Bare | Lisp[];

class Bare {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `clients/emacs/pi-ls-data.el`: what the Emacs client knows of the protocol without having been told in Lisp. */
export function elispData(): string {
  const commands = Object.entries(commandGroups).flatMap(([group, table]) =>
    Object.entries(table).map(([name, spec]) => method(name, { group, ...spec })),
  );
  const requests = Object.entries(bridgeMethods.requests).map(([name, spec]) =>
    method(name, { group: "Bridge", ...spec }),
  );
  return `;;; pi-ls-data.el --- What the protocol of pi-language-server has  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; Written by docs/generate.ts from the tables in src/protocol: change those.

;;; Code:

(defconst pi-ls-data-commands
  '(${commands.join("\n    ")})
  "The commands of pi, in the groups and the order of its documentation.
Each is (NAME :group GROUP :summary TEXT :params PARAMS), and each of
PARAMS is (NAME TYPE REQUIRED DOC).  TYPE is \`string', \`number',
\`boolean', a list of the strings that are allowed, or \`json'.")

(defconst pi-ls-data-requests
  '(${requests.join("\n    ")})
  "The requests that the bridge adds, in the form of \`pi-ls-data-commands'.")

(defconst pi-ls-data-dialogs
  '${written(Object.keys(dialogs))}
  "The dialogs that pi can open.")

(provide 'pi-ls-data)
;;; pi-ls-data.el ends here
`;
}

function method(name: string, spec: { group: string; summary: string; params: () => z.ZodObject }): string {
  const schema = jsonSchemas().of(spec.params());
  const required = schema.required ?? [];
  const params = Object.entries(schema.properties ?? {}).map(([key, value]): Lisp[] => [
    new Bare(key),
    type(value),
    new Bare(required.includes(key) ? "t" : "nil"),
    plain(value.description ?? ""),
  ]);
  const head = `(${name} :group ${written(spec.group)}\n     :summary ${written(plain(spec.summary))}`;
  return params.length === 0 ? `${head})` : `${head}\n     :params (${params.map(written).join("\n              ")}))`;
}

function type(schema: JsonSchema): Lisp {
  if (schema.enum) return schema.enum.map(String);
  if (schema.type === "string" || schema.type === "boolean") return new Bare(schema.type);
  if (schema.type === "integer" || schema.type === "number") return new Bare("number");
  return new Bare("json");
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

function written(value: Lisp): string {
  if (value instanceof Bare) return value.name;
  if (Array.isArray(value)) return `(${value.map(written).join(" ")})`;
  return typeof value === "number" ? String(value) : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}
