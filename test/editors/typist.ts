import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "./terminal.ts";

/** Numbers that are the same each time. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Somebody who types, and what must come of it. Never a blank before Enter or at the beginning of a line: editors take
 * such a thing away by themselves.
 */
export class Typist {
  text = "";
  private readonly random: () => number;
  private readonly terminal: Terminal;

  constructor(terminal: Terminal, seed: number) {
    this.terminal = terminal;
    this.random = seeded(seed);
  }

  /** COUNT keys, 25 to 70 ms apart: the pace is what is tested. */
  async keys(count: number): Promise<void> {
    for (let key = 0; key < count; key++) {
      this.key();
      await sleep(25 + this.random() * 45);
    }
  }

  private key(): void {
    const chance = this.random();
    const last = [...this.text].at(-1) ?? "\n";
    if (chance < 0.06 && /\S/.test(last)) return this.press("Enter", `${this.text}\n`);
    if (chance < 0.12 && /[a-z]/.test(last)) return this.press("BSpace", this.text.slice(0, -1));
    if (chance < 0.2 && /[a-z]/.test(last)) {
      // Its letter comes along, so that no line ends with it.
      this.type(" ");
      return this.type(this.letter());
    }
    if (chance < 0.24) return this.type("é");
    if (chance < 0.27) return this.type("🙂");
    this.type(this.letter());
  }

  private letter(): string {
    return "abcdefghijklmnopqrstuvwxyz".charAt(Math.floor(this.random() * 26));
  }

  private type(text: string): void {
    this.terminal.type(text);
    this.text += text;
  }

  private press(key: string, text: string): void {
    this.terminal.press(key);
    this.text = text;
  }
}

const PIECES = [
  "word",
  "more",
  "ümlaut",
  "🙂",
  "👩‍👩‍👧‍👦",
  "𝔘ber",
  "漢字",
  "end.\\n\\nNew",
  "```\\ncode\\n```",
  "- item",
  "x",
  "`a`",
];

/** A script for the model: LINES lines, slow enough to be typed through, and the text that it streams. */
export function script(seed: number, lines: number, paceMs: number): { prompt: string; answer: string } {
  const random = seeded(seed);
  const says = Array.from({ length: lines }, () =>
    Array.from({ length: 4 }, () => PIECES[Math.floor(random() * PIECES.length)]).join(" "),
  );
  return {
    prompt: [`pace: ${paceMs}`, ...says.map((text) => `say: ${text}`)].join("\n"),
    answer: says.map((text) => text.replaceAll("\\n", "\n")).join("\n\n"),
  };
}
