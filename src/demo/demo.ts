import type { Flags } from "../bridge/settings.ts";

export function demo(_flags: Flags): Promise<number> {
  return Promise.reject(new Error("stub"));
}
