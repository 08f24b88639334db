import { appendFileSync, readFileSync } from "node:fs";
import type { Step } from "./steps.ts";

/** What a player has done, for whoever started it; and, for the player itself, how often it was started before. */
export type JournalEntry =
  | { start: readonly string[]; pid: number; cwd: string }
  /** `left`: the step that was waited for, when the scenario was not played to its end. */
  | { end: number; left?: Step }
  | { failed: string };

export function readJournal(file: string): JournalEntry[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JournalEntry);
}

export function appendJournal(file: string, entry: JournalEntry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}
