import { strict as assert } from "node:assert";
import type { EditorUnderTest } from "./editors.ts";
import { Session } from "./session.ts";
import { script, Typist } from "./typist.ts";

export interface Scenario {
  name: string;
  /** Run in every editor, and not only where it is named. */
  isMain?: true;
  run(editor: EditorUnderTest): Promise<void>;
}

const HEAD = "# Chat\n\nabove\n";

function chat(prompt: string): string {
  return `${HEAD}\n## You\n\n${prompt}\n`;
}

/** The file without what each run has of its own. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/\n<!-- pi session: \S+ -->/, "");
}

/** Exactly the prompt, the answer and what was typed; how many blank lines an editor leaves at the end is its own affair. */
function check(saved: string, prompt: string, answer: string, typed: string): void {
  const text = plain(saved);
  const transcript = `${HEAD}\n## You\n\n${prompt}\n\n## pi\n\n${answer}\n\n## You\n`;
  assert.equal(text.slice(0, transcript.length), transcript);
  assert.equal(text.slice(transcript.length).trim(), typed.trim());
}

async function typed(
  editor: EditorUnderTest,
  options: { eol?: string; end?: string; columns?: number; seed?: number } = {},
) {
  const { eol = "\n", end = "\n", columns, seed = 7 } = options;
  const { prompt, answer } = script(seed, 14, 60);
  const text = chat(prompt).replace(/\n$/, end).replaceAll("\n", eol);
  const session = new Session(editor, text, columns);
  try {
    await session.hasOpened();
    await session.keys(editor.keys.insertAtEnd);
    await session.keys(editor.keys.send);
    await session.hasShown("## pi");
    const typist = new Typist(session.terminal, seed);
    await typist.keys(80);
    await session.hasSettled();
    const saved = await session.save("pi session:");
    check(saved, prompt, answer, typist.text);
    if (eol === "\r\n") assert.equal(/[^\r]\n/.test(saved), false, "every line break is CRLF");
  } finally {
    session.end();
  }
}

export const scenarios: Scenario[] = [
  { name: "typing below", isMain: true, run: (editor) => typed(editor) },
  { name: "CRLF", run: (editor) => typed(editor, { eol: "\r\n", seed: 8 }) },
  { name: "no line break at the end", run: (editor) => typed(editor, { end: "", seed: 9 }) },
  { name: "narrow terminal", run: (editor) => typed(editor, { columns: 34, seed: 10 }) },
  {
    name: "a conversation with a dialog",
    isMain: true,
    run: async (editor) => {
      const session = new Session(
        editor,
        chat('say: First.\ntool: ask {"title":"Deploy?","options":["yes","no"]}\nsay: Second.'),
      );
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("pi asks (q1)");
        await session.keys(editor.keys.leave);
        await session.keys(editor.keys.secondAction);
        await session.hasSettled();
        const saved = plain(await session.save("pi session:"));
        assert.match(saved, /> \*\*pi asks \(q1\): Deploy\?\*\*/);
        assert.match(saved, /> You answered q1: \*\*yes\*\*/);
        assert.match(saved, /\nSecond\.\n\n## You\n/);
      } finally {
        session.end();
      }
    },
  },
  {
    name: "a stray Enter refuses",
    run: async (editor) => {
      const session = new Session(editor, chat('tool: ask {"title":"Deploy?","options":["yes","no"]}\nsay: Second.'));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("pi asks (q1)");
        await session.keys(editor.keys.leave);
        await session.keys(editor.keys.firstAction);
        await session.hasSettled();
        assert.match(await session.save("pi session:"), /> You answered q1: \*\*Cancel\*\*/);
      } finally {
        session.end();
      }
    },
  },
  {
    name: "a text is asked for, and written below the heading",
    run: async (editor) => {
      const session = new Session(editor, chat("/input"));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("pi asks (q1)");
        session.terminal.type("Grace");
        await session.keys(editor.keys.answerText);
        await session.hasShown("> Grace");
        const saved = await session.save("> Grace");
        assert.match(saved, /> You answered q1:\n>\n> Grace\n/);
      } finally {
        session.end();
      }
    },
  },
  {
    name: "typing below and above",
    run: async (editor) => {
      const { lineAbove } = editor.keys;
      if (!lineAbove) return;
      const { prompt, answer } = script(11, 14, 60);
      const session = new Session(editor, chat(prompt));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("## pi");
        const typist = new Typist(session.terminal, 11);
        let above = "";
        for (let part = 0; part < 4; part++) {
          await typist.keys(20);
          await session.keys(lineAbove);
          above += "top\n";
        }
        await session.hasSettled();
        const saved = plain(await session.save("pi session:"));
        assert.equal(saved.startsWith(above), true, `it begins with ${above}`);
        check(saved.slice(above.length), prompt, answer, typist.text);
      } finally {
        session.end();
      }
    },
  },
  {
    name: "the heading is deleted while the answer comes",
    run: async (editor) => {
      const { deleteLastLines } = editor.keys;
      if (!deleteLastLines) return;
      const { prompt, answer } = script(12, 14, 60);
      const session = new Session(editor, chat(prompt));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("## pi");
        await session.keys(editor.keys.leave);
        await session.keys(deleteLastLines);
        await session.hasSettled();
        check(await session.save("pi session:"), prompt, answer, "");
      } finally {
        session.end();
      }
    },
  },
  {
    name: "saved, closed and opened again while the answer comes",
    run: async (editor) => {
      const { reopen } = editor.keys;
      if (!reopen) return;
      const { prompt, answer } = script(13, 14, 60);
      const session = new Session(editor, chat(prompt));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("## pi");
        await session.keys(editor.keys.leave);
        await session.keys(editor.keys.save);
        await session.keys(reopen(session.file));
        await session.hasSettled();
        check(await session.save("pi session:"), prompt, answer, "");
      } finally {
        session.end();
      }
    },
  },
  {
    name: "a chat is opened from another file, written into and sent",
    run: async (editor) => {
      const session = new Session(editor, "# Notes\n", undefined, editor.keys.otherFile);
      try {
        await session.hasOpened();
        await session.keys(editor.keys.open);
        await session.until("the chat's didOpen", () => session.said.split("didOpen").length > 2);
        session.useChatOfBridge();
        await session.keys(editor.keys.insertAtEnd);
        session.terminal.type('deltas: 1 x "be\\u0067un"');
        await session.keys(editor.keys.send);
        await session.hasSettled();
        const saved = plain(await session.save("pi session:"));
        assert.match(saved, /^# pi: project\n\n## You\n\ndeltas: .*\n\n## pi\n\nbegun\n\n## You\n/);
      } finally {
        session.end();
      }
    },
  },
  {
    name: "abort",
    isMain: true,
    run: async (editor) => {
      const session = new Session(editor, chat('deltas: 1 x "be\\u0067un"\nstall'));
      try {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        await session.keys(editor.keys.send);
        await session.hasShown("begun");
        await session.keys(editor.keys.abort);
        await session.hasShown("*Stopped.*");
        await session.hasSettled();
        assert.match(plain(await session.save("pi session:")), /## pi\n\nbegun\n\n\*Stopped\.\*\n\n## You\n/);
      } finally {
        session.end();
      }
    },
  },
];
