import { strict as assert } from "node:assert";
import { chat, check, transcript } from "../chat-text.ts";
import type { Scenario } from "../scenario.ts";
import { inSession } from "../session.ts";

export const controls: Scenario[] = [
  {
    name: "abort",
    isMain: true,
    run: async (editor) => {
      const prompt = 'deltas: 1 x "be\\u0067un"\nstall';
      await inSession(editor, chat(prompt), async (session) => {
        await session.send();
        await session.hasShown("begun");
        await session.keys(editor.keys.abort);
        await session.hasShown("*Stopped.*");
        await session.hasSettled();
        check(await session.save("pi session:"), transcript(prompt, "begun\n\n*Stopped.*"));
      });
    },
  },
  {
    name: "sent by the menu of code actions",
    run: async (editor) => {
      const prompt = 'deltas: 1 x "be\\u0067un"';
      await inSession(editor, chat(prompt), async (session) => {
        await session.hasOpened();
        await session.keys(editor.keys.firstAction("Send to pi"));
        await session.hasSettled();
        check(await session.save("pi session:"), transcript(prompt, "begun"));
      });
    },
  },
  {
    name: "a command is completed",
    run: async (editor) => {
      await inSession(editor, "# Chat\n\n## You\n\n", async (session) => {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        session.terminal.type("/rel");
        await session.keys(editor.keys.complete("/release"));
        await session.hasShown("/release");
        await session.keys(editor.keys.send);
        await session.hasShown("*Done.*");
        check(await session.save("*Done.*"), transcript("/release", "*Done.*", "# Chat\n"));
      });
    },
  },
  {
    name: "how much pi thinks is chosen",
    needs: ["pickThinking"],
    run: async (editor) => {
      await inSession(editor, "# Chat\n\n## You\n\n", async (session) => {
        await session.hasOpened();
        await session.keys(editor.keys.pickThinking?.("medium", 4) ?? []);
        await session.until("the choice", () => session.heard.includes("pi thinks: medium."));
      });
    },
  },
  {
    name: "a file is completed",
    run: async (editor) => {
      await inSession(editor, "# Chat\n\n## You\n\n", async (session) => {
        await session.hasOpened();
        await session.keys(editor.keys.insertAtEnd);
        session.terminal.type("See @chat.p");
        await session.keys(editor.keys.complete("@chat.pi.md"));
        await session.hasShown("See @chat.pi.md");
      });
    },
  },
  {
    name: "a chat is opened from another file, written into and sent",
    run: async (editor) => {
      const prompt = 'deltas: 1 x "be\\u0067un"';
      await inSession(
        editor,
        "# Notes\n",
        async (session) => {
          await session.hasOpened();
          await session.keys(editor.keys.open);
          await session.useChatOfBridge();
          await session.keys(editor.keys.insertAtEnd);
          session.terminal.type(prompt);
          await session.keys(editor.keys.send);
          await session.hasSettled();
          check(await session.save("pi session:"), transcript(prompt, "begun", "# pi: project\n"));
          assert.equal(session.bridges, 1, "the chat belongs to the bridge that has made it");
        },
        { name: editor.keys.otherFile },
      );
    },
  },
];
