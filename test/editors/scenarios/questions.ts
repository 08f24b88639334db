import { chat, check, transcript } from "../chat-text.ts";
import type { EditorUnderTest } from "../editors.ts";
import type { Scenario } from "../scenario.ts";
import { inSession, type Session } from "../session.ts";

/** PROMPT asks something; what the person does then; and all that stands in the saved file below `## pi` at the end. */
async function asked(
  editor: EditorUnderTest,
  prompt: string,
  answer: (session: Session) => Promise<void>,
  becomes: string,
): Promise<void> {
  await inSession(editor, chat(prompt), async (session) => {
    await session.hasOpened();
    await session.keys(editor.keys.insertAtEnd);
    await session.keys(editor.keys.send);
    await session.hasShown("pi asks (q1)");
    await answer(session);
    await session.hasShown(`${becomes}\n\n## You`);
    // A command of an extension starts no run.
    if (!prompt.startsWith("/")) await session.hasSettled();
    check(await session.save(`${becomes.slice(-20)}\n\n## You`), transcript(prompt, becomes));
  });
}

const take = (which: "firstAction" | "secondAction", first: string) => async (session: Session) => {
  await session.keys(session.editor.keys.leave);
  await session.keys(session.editor.keys[which](`pi: answer q1: ${first}`));
};

/** The question as it stands in the chat. */
function question(title: string, ...lines: string[]): string {
  return [`**pi asks (q1): ${title}**`, "", ...lines].map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** It, when it was answered. The line that said how to answer is gone then. */
const deploy = (answer: string) =>
  question("Deploy?", "1. Cancel", "2. yes", "3. no", "", `You answered q1: **${answer}**`);
const deployCall = '{"title":"Deploy?","options":["yes","no"]}';
const answered = "*Answered below.*";

export const questions: Scenario[] = [
  {
    name: "a conversation with a dialog",
    isMain: true,
    run: (editor) =>
      asked(
        editor,
        `say: First.\ntool: ask ${deployCall}\nsay: Second.`,
        take("secondAction", "Cancel"),
        `First.\n\n${deploy("yes")}\n\n- **ask** → 1 line, 19 B\n\nSecond.`,
      ),
  },
  {
    name: "a stray Enter refuses",
    run: (editor) =>
      asked(
        editor,
        `tool: ask ${deployCall}\nsay: Second.`,
        take("firstAction", "Cancel"),
        `${deploy("Cancel")}\n\n- **ask** → 1 line, 23 B\n\nSecond.`,
      ),
  },
  {
    name: "a confirmation",
    run: (editor) =>
      asked(
        editor,
        "/confirm",
        take("secondAction", "No"),
        `${question("Go on?", "There is no way back.", "", "1. No", "2. Yes", "", "You answered q1: **Yes**")}\n\n*Done.*`,
      ),
  },
  {
    name: "a text is asked for, and written below the heading",
    run: (editor) =>
      asked(
        editor,
        "/input",
        async (session) => {
          session.terminal.type("Grace");
          await session.keys(editor.keys.answerText);
        },
        `${question("Your name", "For example: Ada", "", answered)}\n\n> You answered q1:\n>\n> Grace\n\n*Done.*`,
      ),
  },
  {
    name: "a text is edited below the heading",
    run: (editor) =>
      asked(
        editor,
        "/editor",
        async (session) => {
          await session.hasShown("Fix the cart");
          await session.keys(editor.keys.leave);
          await session.keys(editor.keys.appendToLast);
          session.terminal.type(" and the shop");
          await session.keys(editor.keys.answerText);
        },
        `${question("Commit message", answered)}\n\n> You answered q1:\n>\n> Fix the cart and the shop\n\n*Done.*`,
      ),
  },
];
