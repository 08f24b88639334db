import type * as z from "zod";
import { responseError } from "../editor/connection.ts";
import { codes } from "../protocol/errors.ts";
import { nearest } from "./nearest.ts";

/** One thing that is wrong with what an editor sent, in words for the person who wrote that editor's code. */
interface Fault {
  path: (string | number)[];
  message: string;
  /** The value belongs to a newer pi, perhaps: an unknown key, an unknown word of an enumeration. */
  mayBeNewer: boolean;
}

export type Validated<T> =
  | { ok: true; value: T }
  /** `newer`: everything that is wrong may be known to a pi that is newer than the table. */
  | { ok: false; newer: boolean; error: ReturnType<typeof responseError>; text: string };

/**
 * Checks `value` against `schema`. `what` names it in the message ("pi/prompt", "initializationOptions"), `root` says what
 * of it must be an object.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
  root = "params",
): Validated<z.infer<S>> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  const faults = result.error.issues.flatMap((issue) => describe(issue, schema, root));
  const text = `${what}: ${faults.map((fault) => fault.message).join("; ")}`;
  const issues = faults.map(({ path, message }) => ({ path, message }));
  const error = responseError(codes.InvalidParams, text, { kind: "invalid_params", issues });
  return { ok: false, newer: faults.every((fault) => fault.mayBeNewer), error, text };
}

/**
 * The value as `schema` has it.
 * @throws the error answer that names what is wrong
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown, what: string, root?: string): z.infer<S> {
  const result = validate(schema, value, what, root);
  if (!result.ok) throw result.error;
  return result.value;
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, root: string, outer: Fault["path"] = []): Fault[] {
  const path = [...outer, ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key))];
  const name = path.length === 0 ? root : path.map(String).join(".");
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // Of the forms that are of the value's own kind, the one that it comes closest to is probably the one that was meant.
    const ofKind = issue.errors.filter((issues) =>
      issues.every((inner) => inner.path.length > 0 || !isOtherKind(inner)),
    );
    if (ofKind.length > 0) {
      const closest = ofKind.reduce((best, issues) => (issues.length < best.length ? issues : best));
      return closest.flatMap((inner) => describe(inner, schema, root, path));
    }
    const kinds = issue.errors.flatMap(([first]) => (first ? [kindOf(first)] : []));
    return [
      {
        path,
        message: `${name} must be ${[...new Set(kinds)].join(" or ")}, got ${shown(issue.input)}`,
        mayBeNewer: false,
      },
    ];
  }
  if (issue.code === "unrecognized_keys") {
    const known = path.length === 0 && "shape" in schema ? Object.keys(schema.shape as object) : undefined;
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: known ? unknownKey(key, known) : `unknown key "${[...path, key].join(".")}"`,
      mayBeNewer: key !== "id" && key !== "type",
    }));
  }
  if (issue.code === "invalid_value") {
    const words = issue.values.map((word) => JSON.stringify(word)).join(", ");
    const close = nearest(String(issue.input), issue.values.map(String));
    const hint = close === undefined ? "" : ` (did you mean ${JSON.stringify(close)}?)`;
    const message = `${name} must be ${issue.values.length > 1 ? "one of " : ""}${words}, got ${shown(issue.input)}${hint}`;
    return [{ path, message, mayBeNewer: typeof issue.input === "string" }];
  }
  if (issue.code === "invalid_type") {
    const message =
      issue.input === undefined
        ? `${name} is missing (${article(issue.expected)} is expected)`
        : `${name} must be ${article(issue.expected)}, got ${shown(issue.input)}`;
    return [{ path, message, mayBeNewer: false }];
  }
  if (issue.code === "invalid_key") {
    const why = issue.issues.map((inner) => inner.message).join(", ");
    return [{ path, message: `${name}: the name ${why}`, mayBeNewer: false }];
  }
  if (issue.code === "too_small" || issue.code === "too_big") {
    const limit = issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
    const what = { array: " items", string: " characters" }[issue.origin as string] ?? "";
    const message = `${name} must ${what ? "have" : "be"} ${limit}${what}, got ${shown(issue.input)}`;
    return [{ path, message, mayBeNewer: false }];
  }
  return [{ path, message: `${name}: ${issue.message}, got ${shown(issue.input)}`, mayBeNewer: false }];
}

/** The value is not even of the kind that this form is of: a string where it is an object. */
function isOtherKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function kindOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return issue.values.map((word) => JSON.stringify(word)).join(" or ");
  return issue.code === "invalid_type" ? article(issue.expected) : issue.message;
}

function unknownKey(key: string, known: string[]): string {
  if (key === "id" || key === "type") return `"${key}" is set by the bridge and cannot be given`;
  const close = nearest(key, known);
  const takes = known.length === 0 ? "it takes no parameters" : `it takes ${known.join(", ")}`;
  return `unknown key "${key}" (${close === undefined ? takes : `did you mean "${close}"?`})`;
}

function article(type: string): string {
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

/** A received value, short enough for one line. */
function shown(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = "a value that is nested too deeply";
  }
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
