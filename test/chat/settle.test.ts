import { expect, test } from "vitest";
import type { Position, TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";
import { applyChanges, applyEdits, type Edit, positionAt } from "../../src/features/chat/changes.ts";
import { mannerOf } from "../../src/features/chat/clients.ts";
import { below, take } from "../../src/features/chat/jobs.ts";
import { Writer } from "../../src/features/chat/writer.ts";
import { SimulatedClock } from "./simulated-editor.ts";

const START = "# Chat\n\n## You\n\nask\n\n## pi\n\nThe beginning of an answer.\n\n## You\n\ndraft\n";

/** What the editor says, in order: a whole text that it has now, or its changes, its word on the last edit, or that the document is closed. */
type Said =
  | { text: string }
  | { changes: TextDocumentContentChangeEvent[] }
  | { applied: boolean }
  | "closed"
  | { opened: string };

const insertion = (at: Position, text: string) => ({ range: { start: at, end: at }, text });

interface Case {
  name: string;
  client?: string;
  start?: string;
  /** What is streamed before the editor says anything. */
  streamed: string;
  said: ((before: string) => Said)[];
  /** What a later piece of the answer, "MORE", is to be inserted into. */
  becomes: string;
}

const cases: Case[] = [
  {
    name: "Helix tells of the edit before it replies",
    streamed: " One.",
    said: [(text) => ({ text: text.replace("answer.", "answer. One.") }), () => ({ applied: true })],
    becomes: "answer. One.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "eglot merges what was typed above and the edit into one change",
    client: "Eglot",
    streamed: " One.",
    said: [
      () => ({ applied: true }),
      (text) => ({ text: text.replace("ask", "ask\nnew line\nand one").replace("answer.", "answer. One.") }),
    ],
    becomes: "answer. One.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "an edit that was said to be applied and was not is sent again",
    streamed: " One.",
    said: [() => ({ applied: true }), (text) => ({ text: text.replace("draft", "drafts") })],
    becomes: "answer. One.MORE\n\n## You\n\ndrafts\n",
  },
  {
    name: "a refused edit waits for the change that made it stale",
    streamed: " One.",
    said: [() => ({ applied: false }), (text) => ({ text: text.replace("draft", "drafts") })],
    becomes: "answer. One.MORE\n\n## You\n\ndrafts\n",
  },
  {
    name: "an edit that was not made, of a text that repeats itself",
    start: `${START.slice(0, -16)}${"\nsame.".repeat(7)}\nsame\n\n## You\n\ndraft\n`,
    streamed: "\nsame.",
    said: [() => ({ applied: true }), (text) => ({ text: text.replace("beginning", "start") })],
    becomes: `answer.${"\nsame.".repeat(9)}MORE\n\n## You\n\ndraft\n`,
  },
  {
    name: "an edit that was made, of a text that repeats itself",
    start: `${START.slice(0, -16)}${"\nsame.".repeat(99)}\nsame\n\n## You\n\ndraft\n`,
    streamed: "\nsame.",
    said: [(text) => ({ text: text.replace("\n\n## You\n\ndraft", "\nsame.\n\n## You\n\ndraft") })],
    becomes: `answer.${"\nsame.".repeat(101)}MORE\n\n## You\n\ndraft\n`,
  },
  {
    name: "a refused edit of a text that repeats itself is not taken for one that was made",
    start: START.replace("The beginning of an answer.", "answer.".repeat(200)),
    streamed: "answer.".repeat(10),
    said: [(text) => ({ text: text.replace("draft", "drafts") }), () => ({ applied: false })],
    becomes: `\n\n${"answer.".repeat(210)}MORE\n\n## You\n\ndrafts\n`,
  },
  {
    name: "an edit of a text that repeats itself, and a key at once",
    start: START.replace("The beginning of an answer.", "answer.".repeat(200)),
    streamed: "answer.".repeat(10),
    said: [
      (text) => ({ text: text.replace("\n\n## You\n\ndraft", `${"answer.".repeat(10)}\n\n## You\n\ndrafts`) }),
      () => ({ applied: true }),
    ],
    becomes: `\n\n${"answer.".repeat(210)}MORE\n\n## You\n\ndrafts\n`,
  },
  {
    name: "a chunk that went astray is taken out and put where it belongs",
    client: "Neovim",
    streamed: " One more sentence.",
    said: [
      () => ({ applied: true }),
      (text) => ({
        text: text.replace("ask\n", "ask\nnew\nnew\n").replace("## pi\n\n", "## pi\n One more sentence.\n"),
      }),
    ],
    becomes: "answer. One more sentence.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "a chunk that went astray into its own section, by what the editor tells of it",
    client: "Neovim",
    streamed: " x",
    said: [
      () => ({ applied: true }),
      () => ({ changes: [insertion({ line: 4, character: 0 }, "new\n"), insertion({ line: 8, character: 0 }, " x")] }),
    ],
    becomes: "new\nask\n\n## pi\n\nThe beginning of an answer. xMORE\n\n## You\n\ndraft\n",
  },
  {
    name: "the editor tells of the edit with CRLF, in a document that it has told of with LF",
    client: "Neovim",
    streamed: "\n\nOne.",
    said: [() => ({ applied: true }), () => ({ changes: [insertion({ line: 8, character: 27 }, "\r\n\r\nOne.")] })],
    becomes: "answer.\n\nOne.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "a CR by itself ends no line",
    client: "Neovim",
    start: START.replace("ask", "10 %\r20 %\rask"),
    streamed: " One.",
    said: [() => ({ applied: true }), () => ({ changes: [insertion({ line: 8, character: 27 }, " One.")] })],
    becomes: "answer. One.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "the heading was deleted: it comes back behind the answer, what was typed stays below",
    streamed: "",
    said: [(text) => ({ text: text.replace("\n\n## You\n\ndraft", "\n\ndraft") })],
    becomes: "answer.MORE\n\n## You\n\n\ndraft\n",
  },
  {
    name: "the answer was edited at its end: the section tells the place",
    streamed: "",
    said: [(text) => ({ text: text.replace("The beginning of an answer.", "Mine.") })],
    becomes: "Mine.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "somebody writes at the seam",
    streamed: "",
    said: [(text) => ({ text: text.replace("answer.", "answer. (mine)") })],
    becomes: "answer.MORE (mine)\n\n## You\n\ndraft\n",
  },
  {
    name: "closed and opened again",
    streamed: " One.",
    said: [() => "closed", (text) => ({ opened: text })],
    becomes: "answer. One.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "closed, and opened again with the edit in it",
    streamed: " One.",
    said: [() => "closed", (text) => ({ opened: text.replace("answer.", "answer. One.") })],
    becomes: "answer. One.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "undo takes a part of the answer away: it stays away",
    streamed: " One.",
    said: [
      (text) => ({ text: text.replace("answer.", "answer. One.") }),
      (text) => ({ text: text.replace(" One.", "") }),
    ],
    becomes: "answer.MORE\n\n## You\n\ndraft\n",
  },
  {
    name: "an older turn's heading is never taken",
    start: `# Chat\n\n## You\n\nold\n\n## pi\n\nold answer\n\n${START.slice(8)}`,
    streamed: "",
    said: [(text) => ({ text: text.slice(0, text.lastIndexOf("\n\n## You")) })],
    becomes: "answer.MORE\n\n## You\n",
  },
  {
    name: "all headings were deleted: the answer goes on where it was",
    streamed: "",
    said: [(text) => ({ text: text.replaceAll(/^## .*\n/gm, "") })],
    becomes: "answer.MORE\n\n## You\n\n\n\ndraft\n",
  },
  {
    name: "all headings were deleted while an edit is on its way, which is refused",
    streamed: " One.",
    said: [(text) => ({ text: text.replaceAll(/^## .*\n/gm, "") }), () => ({ applied: false })],
    becomes: "answer. One.MORE\n\n## You\n\n\n\ndraft\n",
  },
  {
    name: "all headings were deleted while an edit is on its way, which is made",
    streamed: " One.",
    said: [
      (text) => ({ text: text.replaceAll(/^## .*\n/gm, "") }),
      (text) => ({ text: text.replace("answer.", "answer. One.") }),
    ],
    becomes: "answer. One.MORE\n\n## You\n\n\n\ndraft\n",
  },
  {
    name: "all headings were deleted, one after the other, and the answer was short",
    start: "# Chat\n\n## You\n\nask\n\n## pi\n\nThe\n\n## You\n\ndraft\n",
    streamed: " answer.",
    said: [
      (text) => ({ text: text.replace("## pi\n", "") }),
      (text) => ({ text: text.replace(/## You\n(?=\ndraft)/, "") }),
      (text) => ({ text: text.replace("## You\n", "") }),
      () => ({ applied: false }),
    ],
    becomes: "The. answer.MORE\n\n## You\n\n\n\ndraft\n",
  },
];

test.each(cases)("$name", ({ client = "helix", start = START, streamed, said, becomes }) => {
  const clock = new SimulatedClock();
  let text = start;
  let version = 0;
  const sent: { id: number; edits: readonly Edit[] }[] = [];
  const trouble: string[] = [];
  const events = {
    send: (id: number, edits: readonly Edit[]) => sent.push({ id, edits }),
    trouble: (what: string) => trouble.push(what),
  };
  const writer = new Writer(mannerOf(client), events, clock);
  const become = (next: string) => {
    version += 1;
    const range = { start: { line: 0, character: 0 }, end: positionAt(text, text.length) };
    text = next.replaceAll("\r\n", "\n");
    writer.changed([{ range, text: next }], version);
  };
  /** From here on every edit is made at once. */
  const obey = () => {
    for (let edit = sent.shift(); edit; edit = sent.shift()) {
      const changes = [...edit.edits].sort((one, other) => other.start - one.start);
      become(
        changes.reduce(
          (result, { start, end, text: added }) => result.slice(0, start) + added + result.slice(end),
          text,
        ),
      );
      writer.replied(edit.id, true);
      clock.pass(3000);
    }
  };
  writer.opened(text, version);
  writer.keep();
  // So that the writer knows its own place before anything happens.
  writer.append(".");
  obey();
  become(text.replace("answer..", "answer."));
  writer.append(streamed);
  clock.pass(200);
  const first = sent[0]?.id ?? 0;
  for (const say of said) {
    const word = say(text);
    // What the editor says tells what has become of the edit. What is sent because of it comes later.
    sent.length = 0;
    if (word === "closed") writer.closed();
    else if ("applied" in word) writer.replied(first, word.applied);
    else if ("opened" in word) {
      text = word.opened;
      writer.opened(text, 0);
    } else if ("changes" in word) {
      text = applyChanges(text, word.changes).text.replaceAll("\r\n", "\n");
      writer.changed(word.changes, ++version);
    } else become(word.text);
  }
  clock.pass(3000);
  obey();
  writer.append("MORE");
  clock.pass(3000);
  obey();
  expect(text.slice(text.length - becomes.length)).toBe(becomes);
  expect({ trouble, isIdle: writer.isIdle }).toEqual({ trouble: [], isIdle: true });
});

/** A writer into START, which is kept, and what it has sent and told of. */
function kept(client: string) {
  const clock = new SimulatedClock();
  const sent: (readonly Edit[])[] = [];
  const trouble: string[] = [];
  const events = {
    send: (_id: number, edits: readonly Edit[]) => void sent.push(edits),
    trouble: (what: string) => void trouble.push(what),
  };
  const writer = new Writer(mannerOf(client), events, clock);
  writer.opened(START, 0);
  writer.keep();
  return { clock, writer, sent, trouble };
}

test("a cleared document is left alone until the next prompt", () => {
  const { clock, writer, sent, trouble } = kept("helix");
  writer.append("one");
  clock.pass(200);
  writer.changed([{ text: "" }], 1);
  writer.append("two");
  writer.do(below("three"));
  clock.pass(3000);
  expect({ trouble, sent: sent.length }).toEqual({ trouble: ["detached"], sent: 2 });
});

test("an edit that is under way when the document is opened a second time is not sent again", () => {
  const { clock, writer, sent } = kept("eglot");
  writer.append(" One.");
  writer.opened(START, 0);
  writer.changed([{ text: START.replace("answer.", "answer. One.") }], 1);
  writer.replied(1, true);
  clock.pass(3000);
  expect({ sent: sent.length, isIdle: writer.isIdle }).toEqual({ sent: 1, isIdle: true });
});

test("what was sent and then undone stays away: its run, that begins later, has no place either", () => {
  const clock = new SimulatedClock();
  const trouble: string[] = [];
  let edits: readonly Edit[] = [];
  const events = {
    send: (_id: number, sent: readonly Edit[]) => {
      edits = sent;
    },
    trouble: (what: string) => void trouble.push(what),
  };
  const writer = new Writer(mannerOf("eglot"), events, clock);
  const unsent = "# Chat\n\nabove\n\n## You\n\nask\n";
  writer.opened(unsent, 0);
  writer.keep();
  writer.do(take({ prompt: "ask", done: () => {} }, () => "\n\n## You\n\nask\n\n## pi\n\n"));
  writer.changed([{ text: applyEdits(unsent, edits) }], 1);
  // `revert-buffer`, before pi has started.
  writer.closed();
  writer.opened(unsent, 0);
  edits = [];
  writer.keep();
  writer.append("The answer.");
  clock.pass(3000);
  expect({ trouble, edits }).toEqual({ trouble: ["detached"], edits: [] });
});

test.each([
  // The edit that was on its way is made before the text goes, and comes back with it.
  ["with what was on its way", START.replace("answer.", "answer. One"), "answer. One two\n\n## You\n\ndraft\n"],
  ["without it", START, "answer. One two\n\n## You\n\ndraft\n"],
])("a document that was cleared and is back, %s: the answer goes on", (_name, back, becomes) => {
  const { clock, writer, sent, trouble } = kept("Neovim");
  writer.append(" One");
  writer.changed([{ text: "" }], 1);
  // pi tells of the run's beginning more than once.
  writer.keep();
  writer.append(" two");
  clock.pass(3000);
  expect(sent.length).toBe(1);
  writer.changed([{ text: back }], 2);
  clock.pass(3000);
  expect(applyEdits(back, sent[1] ?? []).slice(-becomes.length)).toBe(becomes);
  expect({ trouble, sent: sent.length }).toEqual({ trouble: ["detached"], sent: 2 });
});

test.each([
  ["has not come", [], 2000],
  // A fast editor tells of what is typed before it answers.
  ["has come", ["drafts"], 100],
])("a refused edit is sent again when the change that made it stale %s", (_name, typed, afterMs) => {
  const clock = new SimulatedClock();
  const sentAt: number[] = [];
  const events = { send: () => void sentAt.push(clock.now()), trouble: () => {} };
  const writer = new Writer(mannerOf("helix"), events, clock);
  writer.opened(START, 0);
  writer.append("one");
  for (const word of typed) writer.changed([{ text: START.replace("draft", word) }], 1);
  writer.replied(1, false);
  clock.pass(5000);
  expect(sentAt).toEqual([0, afterMs]);
});

test.each([
  ["it is all of a line there", "# Chat\n\n## You\n\nThe beginning of an answer.\nMore\n"],
  ["it is a part of a line", "# Chat\n\n## You\n\nsay: The beginning of an answer.\n"],
])("the answer does not go on in a prompt that has its words: %s", (_name, text) => {
  const { clock, writer, sent, trouble } = kept("helix");
  writer.append(" One.");
  writer.replied(1, false);
  // As when one undo takes back everything since the prompt was sent.
  writer.changed([{ text }], 1);
  clock.pass(3000);
  expect({ trouble, sent: sent.length }).toEqual({ trouble: ["detached"], sent: 1 });
});

const OLD = "# Chat\n\n## You\n\nold\n\n## pi\n\nAn old answer.\n\n## You\n\nask\n";
const TURN = "\n\n## You\n\nask\n\n## pi\n\n";

test.each([
  ["taken from the disk as it was before, with nothing of the answer yet", "", "closed", OLD],
  ["taken from the disk as it was before", "Some words of it.", "closed", OLD],
  ["taken from the disk as it was before, and the answer is in the prompt", "ask", "closed", OLD],
  ["taken from the disk as it was before, and the old answer is the same", "An old answer.", "closed", OLD],
  ["deleted with its heading", "", "open", "# Chat\n\n## You\n\nold\n\n## pi\n\nAn old answer.\n"],
  ["deleted with its words", "Some words.", "open", "# Chat\n\n## You\n\nold\n\n## pi\n\nAn old answer.\n\n## You\n"],
])("the turn is %s: the rest of it goes into no other one", (_name, answer, how, becomes) => {
  const clock = new SimulatedClock();
  const trouble: string[] = [];
  let text = OLD;
  let version = 0;
  const events = {
    send: (id: number, edits: readonly Edit[]) => {
      text = applyEdits(text, edits);
      clock.after(1, () => {
        writer.changed([{ text }], ++version);
        writer.replied(id, true);
      });
    },
    trouble: (what: string) => void trouble.push(what),
  };
  const writer = new Writer(mannerOf("Neovim"), events, clock);
  writer.opened(text, 0);
  writer.keep();
  writer.do(take({ prompt: "ask", done: () => {} }, () => TURN));
  clock.pass(3000);
  writer.append(answer);
  clock.pass(3000);
  expect(text).toContain(`An old answer.${TURN}${answer}`);
  text = becomes;
  if (how === "closed") {
    writer.closed();
    writer.opened(text, 0);
  } else writer.changed([{ text }], ++version);
  writer.append(" More.");
  clock.pass(3000);
  expect({ text, trouble }).toEqual({ text: becomes, trouble: ["detached"] });
});

test("a run that has lost its place says again at its end that the answer is not all there", () => {
  const { writer, trouble } = kept("helix");
  writer.append("one");
  writer.changed([{ text: "" }], 1);
  writer.release();
  writer.release();
  expect(trouble).toEqual(["detached", "incomplete"]);
});

test("changes are applied one after the other, and told without what they left as it was", () => {
  const changes = [
    { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } }, text: "BX" },
    { range: { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } }, text: "a\nBXY\n" },
  ];
  expect(applyChanges("a\nb\nc\n", changes)).toEqual({
    text: "a\nBXY\nc\n",
    edits: [
      { start: 2, end: 3, text: "BX" },
      { start: 4, end: 4, text: "Y" },
    ],
  });
});
