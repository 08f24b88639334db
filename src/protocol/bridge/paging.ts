import * as z from "zod";

/** The size of a page. OF names what is on it. */
export function limit(most: number, standard: number, of: string) {
  return z
    .int()
    .min(1)
    .max(most)
    .exactOptional()
    .describe(`How many ${of} at most: 1 to ${most}, default ${standard}.`);
}
