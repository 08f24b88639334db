import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `["user", "Hello"]`, or an entry as it is. */
export type Line = [role: string, text: string] | Record<string, unknown>;

export interface Stored {
  id: string;
  cwd: string;
  lines?: readonly Line[];
  parent?: string;
  /** Minutes after the first moment of 2026. */
  modified?: number;
}

/** Writes a session file as pi does, and returns its path. */
export function store(folder: string, { id, cwd, lines = [], parent, modified = 0 }: Stored): string {
  mkdirSync(folder, { recursive: true });
  const header = {
    type: "session",
    version: 3,
    id,
    timestamp: CREATED,
    cwd,
    ...(parent !== undefined && { parentSession: parent }),
  };
  const file = join(folder, `${CREATED.replaceAll(/[:.]/g, "-")}_${id}.jsonl`);
  writeFileSync(file, [header, ...lines.map(entry)].map((line) => `${JSON.stringify(line)}\n`).join(""));
  touch(file, modified);
  return file;
}

export const CREATED = "2026-01-01T00:00:00.000Z";

export function touch(file: string, modified: number): void {
  utimesSync(file, time(modified), time(modified));
}

/** As the list has it. */
export function time(modified: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, modified));
}

export function append(file: string, lines: readonly Line[], modified: number): void {
  appendFileSync(file, lines.map((line) => `${JSON.stringify(entry(line))}\n`).join(""));
  touch(file, modified);
}

let entries = 0;

function entry(line: Line): Record<string, unknown> {
  // In pi's order.
  if (!Array.isArray(line)) return { type: line.type, id: nextId(), parentId: null, timestamp: CREATED, ...line };
  const [role, text] = line;
  const content = role === "user" ? text : [{ type: "text", text }];
  return {
    type: "message",
    id: nextId(),
    parentId: null,
    timestamp: CREATED,
    message: { role, content, timestamp: 1767225600000 },
  };
}

function nextId(): string {
  entries += 1;
  return entries.toString(16).padStart(8, "0");
}
