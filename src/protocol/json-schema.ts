import * as z from "zod";

/** The part of JSON Schema that the tables use. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

export interface JsonSchemas {
  /** The JSON Schema of SCHEMA. Schemas with an id are referred to, and are in `shared` afterwards. */
  of(schema: z.ZodType): JsonSchema;
  readonly shared: Record<string, JsonSchema>;
  /** Follows a reference that `of` gave. */
  resolve(schema: JsonSchema): JsonSchema;
}

/** zod schemas as JSON Schema, with their shared parts in one place that REFERENCES begin with. */
export function jsonSchemas(references = "#/components/schemas/"): JsonSchemas {
  const shared: Record<string, JsonSchema> = {};
  return {
    shared,
    of(schema) {
      const { $schema: _, definitions = {}, ...own } = moved(convert(schema), references);
      Object.assign(shared, definitions);
      return own;
    },
    resolve(schema) {
      const target = schema.$ref?.slice(references.length);
      return (target !== undefined && shared[target]) || schema;
    },
  };
}

type Root = JsonSchema & { $schema?: string; definitions?: Record<string, JsonSchema> };

function convert(schema: z.ZodType): Root {
  return z.toJSONSchema(schema, {
    // What OpenRPC is written in.
    target: "draft-7",
    // The output side would close every object, and a newer pi may add members.
    io: "input",
    override: ({ jsonSchema }) => {
      // Says only that keys are strings.
      delete jsonSchema.propertyNames;
    },
  }) as Root;
}

function moved(schema: Root, references: string): Root {
  const text = JSON.stringify(schema);
  return JSON.parse(text.replaceAll('"$ref":"#/definitions/', `"$ref":"${references}`)) as Root;
}
