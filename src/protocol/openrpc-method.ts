import type * as z from "zod";
import type { JsonSchema, JsonSchemas } from "./json-schema.ts";

export interface OpenRpcMethod {
  name: string;
  summary: string;
  description?: string;
  tags: { name: string }[];
  paramStructure: "by-name";
  params: OpenRpcDescriptor[];
  result?: OpenRpcDescriptor;
  errors?: { $ref: string }[];
  examples: OpenRpcExample[];
  "x-direction": "client-to-server" | "server-to-client";
  "x-kind": "request" | "notification";
  [extension: `x-${string}`]: unknown;
}

export interface OpenRpcDescriptor {
  name: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface OpenRpcExample {
  name: string;
  params: { name: string; value: unknown }[];
  result?: { name: string; value: unknown };
}

interface Described {
  readonly summary: string;
  readonly notes?: string;
}

export function request(
  schemas: JsonSchemas,
  direction: OpenRpcMethod["x-direction"],
  tag: string,
  name: string,
  spec: Described & {
    params: () => z.ZodType;
    result: () => z.ZodType;
    example: { readonly params: unknown; readonly result: unknown };
  },
): OpenRpcMethod {
  return {
    ...described(tag, name, spec, schemas.resolve(schemas.of(spec.params()))),
    result: { name: "result", schema: schemas.of(spec.result()) },
    examples: [{ name, params: named(spec.example.params), result: { name: "result", value: spec.example.result } }],
    "x-direction": direction,
    "x-kind": "request",
  };
}

export function notification(
  schemas: JsonSchemas,
  tag: string,
  name: string,
  spec: Described,
  params: z.ZodType,
  example: unknown,
): OpenRpcMethod {
  return {
    ...described(tag, name, spec, schemas.resolve(schemas.of(params))),
    examples: [{ name, params: named(example) }],
    "x-direction": "server-to-client",
    "x-kind": "notification",
  };
}

function described(tag: string, name: string, { summary, notes }: Described, params: JsonSchema) {
  return {
    name,
    summary,
    ...(notes === undefined ? {} : { description: notes }),
    tags: [{ name: tag }],
    paramStructure: "by-name" as const,
    params: descriptors(params),
  };
}

/** The members of an object, or of any of several objects, as parameters by name. */
function descriptors(params: JsonSchema): OpenRpcDescriptor[] {
  const variants = params.anyOf ?? params.oneOf ?? [params];
  const names = new Set(variants.flatMap((variant) => Object.keys(variant.properties ?? {})));
  return [...names].map((name) => {
    const forms = variants.flatMap((variant) => variant.properties?.[name] ?? []);
    const different = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
    const schema = different.length === 1 ? different[0] : undefined;
    return {
      name,
      required: variants.every((variant) => variant.required?.includes(name) === true),
      ...(schema?.description === undefined ? {} : { description: schema.description }),
      schema: schema ?? { anyOf: different },
    };
  });
}

function named(params: unknown): { name: string; value: unknown }[] {
  return Object.entries(params as object).map(([name, value]) => ({ name, value }));
}
