import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = 5000;
const FOLDERS = 50;
const TOTAL_BYTES = 2e9;
/** Four sessions are of this size; all others share the rest. */
const LARGE_BYTES = 100e6;

/**
 * Fills ROOT as pi would. What sessions are made of: short messages of a person, longer answers, and the results of
 * tools, which are most of it.
 */
export function writeSessions(root: string): void {
  const small = (TOTAL_BYTES - 4 * LARGE_BYTES) / (FILES - 4);
  for (let at = 0; at < FILES; at++) {
    const cwd = `/home/ada/project${at % FOLDERS}`;
    const folder = join(root, `--${cwd.slice(1).replaceAll("/", "-")}--`);
    mkdirSync(folder, { recursive: true });
    const id = `session-${String(at).padStart(5, "0")}`;
    const file = join(folder, `2026-01-01T00-00-00-000Z_${id}.jsonl`);
    const target = at % 1250 === 7 ? LARGE_BYTES : small;
    const header = { type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd };
    writeFileSync(file, `${JSON.stringify(header)}\n${message(at, 0, "system", filler(20_000))}`);
    for (let written = 0, turn = 1; written < target; turn += 3) {
      const lines =
        message(at, turn, "user", text(at, turn, 40)) +
        message(at, turn + 1, "assistant", text(at, turn, 150)) +
        message(at, turn + 2, "toolResult", filler(target > small ? 200_000 : 8_000));
      appendFileSync(file, lines);
      written += lines.length;
    }
    const time = new Date(Date.UTC(2026, 0, 1) + ((at * 7919) % FILES) * 60_000);
    utimesSync(file, time, time);
  }
}

function message(at: number, turn: number, role: string, said: string): string {
  const entry = {
    type: "message",
    id: turn.toString(16).padStart(8, "0"),
    parentId: turn === 0 ? null : (turn - 1).toString(16).padStart(8, "0"),
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role, content: [{ type: "text", text: said }], timestamp: at },
  };
  return `${JSON.stringify(entry)}\n`;
}

/** People and models say the same words again and again, and some that are new. */
function text(at: number, turn: number, words: number): string {
  return Array.from({ length: words }, (_, n) =>
    n % 10 === 0 ? `word${(at * 31 + turn * 7 + n) % 40_000}` : COMMON[(at + turn + n) % COMMON.length],
  ).join(" ");
}

const COMMON = "the message of a session has some words that are in every other one and nobody looks for them".split(
  " ",
);
const fillers = new Map<number, string>();

function filler(length: number): string {
  let known = fillers.get(length);
  if (known === undefined) {
    known = 'src/cart.ts:12: const total = "x";\n'.repeat(Math.ceil(length / 35));
    fillers.set(length, known);
  }
  return known;
}
