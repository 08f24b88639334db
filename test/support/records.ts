import { expect } from "vitest";
import type * as z from "zod";
import { events } from "../../src/protocol/events.ts";
import { announcements, dialogs } from "../../src/protocol/ui.ts";
import type { Message } from "./editor.ts";
import type { Pi } from "./pis.ts";

const records = new Map<string, () => z.ZodType>([
  ...Object.entries(events).map(([type, { record }]) => [`pi/${type}`, record] as const),
  ...Object.entries({ ...announcements, ...dialogs }).map(([name, { record }]) => [`pi/ui/${name}`, record] as const),
]);

/** Holds a record of a real pi against the table: the documentation must be true of every version. */
export function checkRecord({ method, params }: Message, pi: Pi): void {
  if (!method?.startsWith("pi/")) return;
  const record = records.get(method);
  expect(record, `${method} of ${pi.name} is in the table`).toBeDefined();
  const error = record?.().safeParse(params).error;
  expect(error?.message, `${method} of ${pi.name}: ${JSON.stringify(params).slice(0, 1000)}`).toBeUndefined();
}
