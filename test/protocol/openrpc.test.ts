import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { bridgeMethods } from "../../src/protocol/bridge.ts";
import { commands } from "../../src/protocol/commands.ts";
import { events } from "../../src/protocol/events.ts";
import { openrpcDocument } from "../../src/protocol/openrpc.ts";
import { announcements, dialogs } from "../../src/protocol/ui.ts";

const document = openrpcDocument("1.2.3");

// Formats are of no use here, and the meta-schema has keywords of its own.
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

/** OpenRPC's own schema. It refers to a republished draft 7, which the validator has under its first name. */
function metaSchema(): object {
  const { openrpcDocument: schema } = createRequire(import.meta.url)("@open-rpc/meta-schema");
  const draft7 = "http://json-schema.org/draft-07/schema#";
  const text = JSON.stringify(schema)
    .replaceAll(/https:\/\/meta\.json-schema\.tools\/#\/definitions\/JSONSchemaObject\//g, `${draft7}/`)
    .replaceAll(/https:\/\/meta\.json-schema\.tools\/?"/g, `${draft7}"`);
  return JSON.parse(text) as object;
}

const validate = ajv.compile(metaSchema());

test("is a valid OpenRPC document", () => {
  expect([validate(document), validate.errors]).toEqual([true, null]);
});

test("the validator can tell", () => {
  expect(validate({ ...document, methods: [{ name: "pi/prompt", params: [{ name: "message" }] }] })).toBe(false);
});

test("has every method once", () => {
  const names = new Set([
    ...Object.keys(commands).map((name) => `pi/${name}`),
    ...Object.keys(events).map((name) => `pi/${name}`),
    ...[...Object.keys(dialogs), ...Object.keys(announcements)].map((name) => `pi/ui/${name}`),
    ...Object.keys(bridgeMethods.requests),
    ...Object.keys(bridgeMethods.notifications),
  ]);
  expect(document.methods.map((method) => method.name).sort()).toEqual([...names].sort());
});

test("every reference leads somewhere", () => {
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g);
  const components = document.components as Record<string, Record<string, unknown>>;
  const missing = Array.from(references).filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined);
  expect(missing).toEqual([]);
  expect(JSON.stringify(document)).not.toContain("#/definitions/");
});

test.each(document.methods)("$name: the examples fit the schemas", (method) => {
  const { components } = document;
  const fits = (schema: object, value: unknown) => ajv.validate({ ...schema, components }, value) || ajv.errors;
  for (const example of method.examples) {
    for (const { name, value } of example.params) {
      const param = method.params.find((descriptor) => descriptor.name === name);
      expect([name, fits(param?.schema ?? { not: {} }, value)]).toEqual([name, true]);
    }
    const given = example.params.map(({ name }) => name);
    expect(method.params.filter(({ name, required }) => required && !given.includes(name))).toEqual([]);
    if (method.result) expect(fits(method.result.schema, example.result?.value)).toBe(true);
  }
});

test("a request of the same name has the notification beside it", () => {
  const state = document.methods.find((method) => method.name === "bridge/state");
  expect(state).toMatchObject({ "x-kind": "request", "x-notification": { "x-direction": "server-to-client" } });
});

test("says how to call pi through executeCommand", () => {
  const names = document.methods.flatMap((method) => method["x-executeCommand"] ?? []);
  const own = Object.keys(bridgeMethods.requests).filter((name) => name.startsWith("bridge/"));
  expect(names).toEqual([
    ...Object.keys(commands).map((name) => `pi.${name}`),
    ...own.map((name) => `pi.${name.replace("/", ".")}`),
  ]);
});
