import fc from "fast-check";
import { expect, test } from "vitest";
import { mannerOf } from "../../src/features/chat/clients.ts";
import { take } from "../../src/features/chat/jobs.ts";
import { Writer } from "../../src/features/chat/writer.ts";
import { type Kind, SimulatedClock, SimulatedEditor } from "./simulated-editor.ts";

const throttled: Kind = { name: "throttled", client: "Neovim", syncMs: 150, stale: "lie", isStrict: true };
const lying: Kind = { ...throttled, name: "lying", client: "as Neovim, with versions" };
const early: Kind = { name: "early", client: "helix", syncMs: 0, stale: "refuse", isStrict: true, isEarly: true };
const debounced: Kind = { name: "debounced", client: "Eglot", syncMs: 500, isDebounced: true, stale: "refuse" };
const merging: Kind = { ...debounced, name: "merging", merges: "one" };
const hasty: Kind = { ...merging, name: "merging, idle time 0", syncMs: 3, isStrict: true };
const full: Kind = {
  name: "full text, told with the next key",
  client: "vim-lsp",
  syncMs: 1000,
  isDebounced: true,
  needsKey: true,
  merges: "full",
  stale: "apply",
};

/** It puts letters that are typed at the moment of an edit elsewhere: none may be made then. */
const clumsy: Kind = { name: "moves its cursor late", client: "coc.nvim", syncMs: 1, stale: "refuse", isStrict: true };

interface Key {
  /** Milliseconds after the last one. */
  after: number;
  where: "below" | "above" | "inside";
  text: string;
}

const pieces = [
  "a",
  "word ",
  "é",
  "🙂",
  "👩‍👩‍👧‍👦",
  "𝔘ber",
  "漢字",
  "\n",
  "\n\n",
  "```\ncode\n```\n",
  "## You\n",
  "- item\n",
];
const streamed = fc.array(fc.record({ after: fc.integer({ min: 0, max: 400 }), text: fc.constantFrom(...pieces) }), {
  minLength: 1,
  maxLength: 40,
});
const typed = (where: Key["where"][]) =>
  fc.array(
    fc.record({
      after: fc.integer({ min: 20, max: 900 }),
      where: fc.constantFrom(...where),
      text: fc.constantFrom("x", "é", "🙂", "typed ", "\n"),
    }),
    { maxLength: 40 },
  );

/** A conversation: PROMPT is sent, the answer streams, and the person types. */
function converse(
  kind: Kind,
  eol: "\n" | "\r\n",
  deltas: { after: number; text: string }[],
  keys: Key[],
  seed: number,
) {
  const clock = new SimulatedClock();
  let random = seed;
  const latency = () => {
    random = (random * 1103515245 + 12345) % 2147483648;
    return random % 4;
  };
  const withEol = (text: string) => text.replaceAll("\n", eol);
  const head = withEol("# Chat\n\nabove\n");
  const start = withEol("# Chat\n\nabove\n\n## You\n\nthe prompt\n");
  const editor = new SimulatedEditor(kind, clock, start, latency);
  const trouble: string[] = [];
  const { isVersioned, quietMs } = mannerOf(kind.client);
  let lastTyped = Number.NEGATIVE_INFINITY;
  let shortestQuiet = Number.POSITIVE_INFINITY;
  const writer = new Writer(
    mannerOf(kind.client),
    {
      send: (id, edits, text, version) => {
        shortestQuiet = Math.min(shortestQuiet, clock.now() - lastTyped);
        editor.receive(id, edits, text, isVersioned ? version : null);
      },
      trouble: (what) => trouble.push(what),
    },
    clock,
  );
  editor.writer = writer;
  writer.opened(start, 1);
  writer.keep();
  let sent: string | undefined;
  writer.do(
    take(
      (prompt) => `\n\n## You\n\n${prompt}\n\n## pi\n\n`,
      (prompt) => {
        sent = prompt;
      },
    ),
  );
  clock.pass(3000);
  if (kind.needsKey) editor.type({ start: 2, end: 2, text: "" });
  clock.pass(3000);
  expect(sent).toBe("the prompt");

  const typedBelow: string[] = [];
  const typedAbove: string[] = [];
  const typedInside: string[] = [];
  let due = 0;
  for (const { after, text } of deltas) {
    due += after;
    clock.after(due, () => writer.append(text));
  }
  due = 0;
  for (const { after, where, text } of keys) {
    due += after;
    clock.after(due, () => {
      const added = withEol(text);
      // That the editor tells of it takes a moment, and what is sent by then cannot know.
      clock.after(10, () => {
        lastTyped = Math.max(lastTyped, clock.now() - 10);
      });
      if (where === "below") {
        typedBelow.push(added);
        editor.type({ start: editor.text.length, end: editor.text.length, text: added });
      } else if (where === "inside") {
        // Before the prompt, which is a part of the own section.
        typedInside.push(text);
        const start = editor.text.indexOf("the prompt");
        editor.type({ start, end: start, text: added });
      } else {
        typedAbove.push(added);
        editor.type({ start: head.length, end: head.length, text: added });
      }
    });
  }
  clock.pass(60_000);
  for (let more = 0; more < 60 && !writer.isIdle; more++) {
    // Who lies about an edit is found out with the next change.
    if (kind.needsKey || kind.stale === "lie") editor.type({ start: 2, end: 2, text: "" });
    clock.pass(3000);
  }
  const answer = deltas.map(({ text }) => text).join("");
  const expected = [
    head,
    typedAbove.reverse().join(""),
    withEol(`\n## You\n\n${typedInside.join("")}the prompt\n\n## pi\n\n${answer}\n\n## You\n\n`),
    typedBelow.join(""),
  ].join("");
  expect(shortestQuiet).toBeGreaterThanOrEqual(quietMs);
  return { text: editor.text, expected, trouble, idle: writer.isIdle };
}

const everywhere: Key["where"][] = ["below", "above", "inside"];
const cases: [Kind, Key["where"][]][] = [
  [throttled, ["below"]],
  [lying, everywhere],
  [early, everywhere],
  [debounced, ["below"]],
  [merging, ["below"]],
  [hasty, everywhere],
  [full, ["below"]],
  [clumsy, everywhere],
];

test.each(cases.map(([kind, where]) => ({ kind, where })))("an answer and a typing person, $kind.name", (row) => {
  const { kind, where } = row;
  fc.assert(
    fc.property(
      fc.constantFrom("\n" as const, "\r\n" as const),
      streamed,
      typed(where),
      fc.nat(),
      (eol, deltas, keys, seed) => {
        const { text, expected, trouble, idle } = converse(kind, eol, deltas, keys, seed);
        expect({ text, trouble, idle }).toEqual({ text: expected, trouble: [], idle: true });
      },
    ),
    { numRuns: 500 },
  );
});
