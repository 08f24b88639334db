import { strict as assert } from "node:assert";
import { chat, check, plain, transcript } from "../chat-text.ts";
import type { EditorUnderTest } from "../editors.ts";
import type { Scenario } from "../scenario.ts";
import { inSession, type SessionOptions } from "../session.ts";
import { script, Typist } from "../typist.ts";

interface TypingOptions extends SessionOptions {
  seed: number;
  eol?: string;
  end?: string;
}

/** The person types the next prompt while the answer comes. */
async function typed(editor: EditorUnderTest, { eol = "\n", end = "\n", seed, ...options }: TypingOptions) {
  const { prompt, answer } = script(seed, 14, 60);
  const text = chat(prompt).replace(/\n$/, end).replaceAll("\n", eol);
  await inSession(
    editor,
    text,
    async (session) => {
      await session.send();
      const typist = new Typist(session.terminal, seed);
      await typist.keys(80);
      await session.hasSettled();
      const saved = await session.save("pi session:");
      check(saved, transcript(prompt, answer), typist.text);
      if (eol === "\r\n") assert.equal(/[^\r]\n/.test(saved), false, "every line break is CRLF");
    },
    options,
  );
}

/** The same in four parts, with something else between them. */
async function typedBetween(
  editor: EditorUnderTest,
  seed: number,
  between: (part: number) => string[],
  above: string,
): Promise<void> {
  const { prompt, answer } = script(seed, 14, 60);
  await inSession(editor, chat(prompt), async (session) => {
    await session.send();
    const typist = new Typist(session.terminal, seed);
    for (let part = 0; part < 4; part++) {
      await typist.keys(20);
      await session.keys(between(part));
    }
    await session.hasSettled();
    const saved = plain(await session.save("pi session:"));
    check(saved, above + transcript(prompt, answer), typist.text);
  });
}

export const typing: Scenario[] = [
  { name: "typing below", isMain: true, run: (editor) => typed(editor, { seed: 7 }) },
  { name: "CRLF", run: (editor) => typed(editor, { eol: "\r\n", seed: 8 }) },
  { name: "no line break at the end", run: (editor) => typed(editor, { end: "", seed: 9 }) },
  { name: "narrow terminal", run: (editor) => typed(editor, { columns: 34, seed: 10 }) },
  // Positions are UTF-16 in all editors: this server offers nothing else, and the scripts have what is longer in it.
  { name: "whole texts", run: (editor) => typed(editor, { hasFullSync: true, seed: 14 }) },
  {
    name: "whole texts, CRLF",
    run: (editor) => typed(editor, { hasFullSync: true, eol: "\r\n", seed: 15 }),
  },
  {
    name: "typing below and above",
    needs: ["lineAbove"],
    run: (editor) => typedBetween(editor, 11, () => editor.keys.lineAbove ?? [], "top\n".repeat(4)),
  },
  {
    name: "saved again and again while the answer comes",
    run: ({ keys, ...editor }) =>
      typedBetween({ keys, ...editor }, 11, () => [...keys.leave, ...keys.save, ...keys.appendToLast], ""),
  },
];
