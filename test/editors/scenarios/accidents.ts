import { strict as assert } from "node:assert";
import { chat, check, inParts, plain, transcript } from "../chat-text.ts";
import type { Scenario } from "../scenario.ts";
import { inSession, type Session } from "../session.ts";
import { script, Typist } from "../typist.ts";

/** `pi.chat.rebuild` writes the whole of it, with the title alone above, and leaves what stands below the last heading. */
async function rebuilt(session: Session, prompt: string, answer: string, title = "# Chat"): Promise<void> {
  const whole = transcript(prompt, answer, `${title}\n`);
  await session.hasEnded();
  const [, below = ""] = /^[\s\S]*\n## You\n([\s\S]*)$/.exec(session.text) ?? [];
  await session.keys(session.editor.keys.rebuild);
  await session.until("the whole transcript", () => plain(session.text).startsWith(whole));
  check(await session.save("pi session:"), whole, below);
}

export const accidents: Scenario[] = [
  {
    name: "undo while the answer comes",
    run: async (editor) => {
      const { prompt, answers } = inParts("Kept.", ["one", "Taken back."], ["two", "After that."]);
      const whole = answers.join("");
      await inSession(editor, chat(prompt), async (session) => {
        await session.hasOpened();
        // Without inserting, where there is such a thing: each edit is an undo step of its own then.
        await session.keys(editor.keys.send);
        await session.hasShown(`## pi\n\n${answers[0]}`);
        session.release("one");
        await session.hasShown(`${answers[1]}`);
        const before = plain(session.text);
        await session.keys(editor.keys.undo);
        await session.until("the undo", () => plain(session.text) !== before);
        // What was taken away: an edit at least, and with eglot everything since the last key.
        const left = plain(session.text);
        session.release("two");
        await session.until(
          "what comes behind it, or the news that there is no place for it",
          () => session.text.includes(`${answers[2]}`) || session.heard.includes("place is gone"),
        );
        if (session.text.includes(`${answers[2]}`)) {
          await session.hasSettled();
          const transcriptLeft = left.slice(0, left.lastIndexOf("\n\n## You"));
          assert.equal(before.startsWith(transcriptLeft), true, `the text began with ${transcriptLeft}`);
          check(await session.save("pi session:"), `${transcriptLeft}${answers[2]}\n\n## You\n`);
        }
        await rebuilt(session, prompt, whole);
      });
    },
  },
  {
    name: "taken from the disk again while the answer comes",
    needs: ["reload"],
    run: async (editor) => {
      const { prompt, answers } = inParts("Kept.", ["one", "Not saved."], ["two", "After that."]);
      await inSession(editor, chat(prompt), async (session) => {
        await session.send();
        await session.keys(editor.keys.leave);
        await session.hasShown(`## pi\n\n${answers[0]}`);
        await session.save(`## pi\n\n${answers[0]}`);
        session.release("one");
        await session.hasShown(`${answers[1]}`);
        await session.keys(editor.keys.reload ?? []);
        await session.hasLost(`${answers[1]}`);
        session.release("two");
        await session.hasSettled();
        check(await session.save("pi session:"), transcript(prompt, `${answers[0]}${answers[2]}`));
      });
    },
  },
  {
    name: "other line breaks are set before the prompt is sent, and typing goes on",
    needs: ["crlf"],
    run: async (editor) => {
      const { prompt, answer } = script(16, 8, 60);
      await inSession(editor, chat(prompt), async (session) => {
        await session.hasOpened();
        await session.keys(editor.keys.crlf ?? []);
        await session.send();
        const typist = new Typist(session.terminal, 16);
        await typist.keys(30);
        await session.hasSettled();
        const saved = await session.save("pi session:");
        check(saved, transcript(prompt, answer), typist.text);
        assert.equal(/[^\r]\n/.test(saved), false, "every line break is CRLF");
      });
    },
  },
  {
    name: "a turn is thrown away while the answer comes, and the one above stays as it is",
    needs: ["reload"],
    run: async (editor) => {
      const { prompt, answers } = inParts("Kept.", ["one", "Not shown."]);
      const before = `${transcript("old", "An old answer.")}\n${prompt}\n`;
      await inSession(editor, before, async (session) => {
        await session.send();
        await session.keys(editor.keys.leave);
        await session.hasShown(`## pi\n\n${answers[0]}`);
        await session.keys(editor.keys.reload ?? []);
        await session.until("the news", () => session.heard.includes("place is gone"));
        session.release("one");
        await session.hasSettled();
        check(await session.save("pi session:"), before.trimEnd());
      });
    },
  },
  {
    name: "the document is cleared while the answer comes",
    run: async (editor) => {
      const { prompt, answers } = inParts("Gone.", ["one", "Not shown."]);
      await inSession(editor, chat(prompt), async (session) => {
        await session.send();
        await session.keys(editor.keys.leave);
        await session.hasShown(`## pi\n\n${answers[0]}`);
        await session.keys(editor.keys.clear);
        await session.until("an empty document", () => session.text.trim() === "");
        session.release("one");
        await session.until("the news", () => session.heard.includes("place is gone"));
        await session.hasEnded();
        assert.equal(session.text.trim(), "");
        await rebuilt(session, prompt, answers.join(""), "# pi");
      });
    },
  },
  {
    name: "the heading is deleted while the answer comes",
    needs: ["deleteLastLines"],
    run: async (editor) => {
      const { prompt, answer } = script(12, 14, 60);
      await inSession(editor, chat(prompt), async (session) => {
        await session.send();
        await session.keys(editor.keys.leave);
        await session.keys(editor.keys.deleteLastLines ?? []);
        await session.hasSettled();
        check(await session.save("pi session:"), transcript(prompt, answer));
      });
    },
  },
  {
    name: "saved, closed and opened again while the answer comes",
    needs: ["reopen"],
    run: async (editor) => {
      const { prompt, answer } = script(13, 14, 60);
      await inSession(editor, chat(prompt), async (session) => {
        await session.send();
        await session.keys(editor.keys.leave);
        await session.keys(editor.keys.save);
        await session.keys(editor.keys.reopen?.(session.file) ?? []);
        await session.hasSettled();
        check(await session.save("pi session:"), transcript(prompt, answer));
      });
    },
  },
];
