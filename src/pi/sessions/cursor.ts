import type { Place } from "./files.ts";

/** The place of a session in the order of all, as a text that means nothing to a client. */
export function toCursor({ modified, path }: Place): string {
  return Buffer.from(JSON.stringify([modified, path])).toString("base64url");
}

/** Undefined when CURSOR was not made here. */
export function fromCursor(cursor: string): Place | undefined {
  try {
    const [modified, path] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as [unknown, unknown];
    return typeof modified === "number" && typeof path === "string" ? { modified, path } : undefined;
  } catch {
    return undefined;
  }
}
