import type { OptIn } from "./opt-in.ts";
import { withReferences } from "./references.ts";
import { wellFormed } from "./well-formed.ts";

/** A record of pi's as the editor has asked for it: as it is, unless it wants its records smaller. */
export function forEditor(line: Buffer, { referenceAbove, coalesceMs }: OptIn): Buffer {
  const small = referenceAbove === undefined ? line : withReferences(line, referenceAbove);
  return coalesceMs === undefined ? small : wellFormed(small);
}
