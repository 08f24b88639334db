import { strict as assert } from "node:assert";

export const HEAD = "# Chat\n\nabove\n";

/** A new chat with a prompt that waits to be sent. */
export function chat(prompt: string): string {
  return `${HEAD}\n## You\n\n${prompt}\n`;
}

/** The document when PROMPT has been answered, up to the last heading. */
export function transcript(prompt: string, answer: string, head = HEAD): string {
  return `${head}\n## You\n\n${prompt}\n\n## pi\n\n${answer}\n\n## You\n`;
}

/** The file without what each run has of its own. */
export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/\n<!-- pi session: \S+ -->/, "");
}

/**
 * SAVED is exactly EXPECTED and then what was TYPED; how many blank lines an editor leaves at the end is its own affair.
 * A text with "…" has anything there.
 */
export function check(saved: string, expected: string, typed = ""): void {
  const text = plain(saved);
  assert.equal(text.slice(0, expected.length), expected);
  assert.equal(text.slice(expected.length).trim(), typed.trim());
}

/** A script whose answer comes in parts: each begins when its file is there (`Session.release`). */
export function inParts(
  first: string,
  ...parts: [file: string, text: string][]
): { prompt: string; answers: string[] } {
  const prompt = [`say: ${first}`];
  const answers = [first];
  for (const [file, text] of parts) {
    const command = `until [ -e ${file} ]; do sleep 0.05; done`;
    prompt.push(`tool: bash {"command":"${command}"}`, `say: ${text}`);
    answers.push(`\n\n- **bash** \`${command}\` → 1 line, 11 B\n\n${text}`);
  }
  return { prompt: prompt.join("\n"), answers };
}
