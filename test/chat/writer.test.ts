import fc from "fast-check";
import { expect, test } from "vitest";
import { mannerOf } from "../../src/features/chat/clients.ts";
import { type Asked, below, clear, heading, type Job, take } from "../../src/features/chat/jobs.ts";
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
const typed = (where: Key["where"][], min = 20) =>
  fc.array(
    fc.record({
      after: fc.integer({ min, max: 900 }),
      where: fc.constantFrom(...where),
      text: fc.constantFrom("x", "é", "🙂", "typed ", "\n"),
    }),
    { maxLength: 40 },
  );

/** An editor of this KIND, and what "the prompt" was sent from. */
function begun(kind: Kind, eol: "\n" | "\r\n", seed: number, onSend: (now: number) => void = () => {}) {
  const clock = new SimulatedClock();
  let random = seed;
  const latency = () => {
    random = (random * 1103515245 + 12345) % 2147483648;
    return random % 4;
  };
  const start = "# Chat\n\nabove\n\n## You\n\nthe prompt\n".replaceAll("\n", eol);
  const editor = new SimulatedEditor(kind, clock, start, latency);
  const trouble: string[] = [];
  const { isVersioned } = mannerOf(kind.client);
  const writer = new Writer(
    mannerOf(kind.client),
    {
      send: (id, edits, text, version, isExact) => {
        onSend(clock.now());
        editor.receive(id, edits, text, isVersioned || isExact ? version : null);
      },
      trouble: (what) => trouble.push(what),
    },
    clock,
  );
  editor.writer = writer;
  writer.opened(start, 1);
  writer.keep();
  let sent: string | undefined;
  const done = (prompt: string | undefined) => {
    sent = prompt;
  };
  writer.do(take({ prompt: "the prompt", done }, (prompt) => `\n\n## You\n\n${prompt}\n\n## pi\n\n`));
  clock.pass(3000);
  if (kind.needsKey) editor.type({ start: 2, end: 2, text: "" });
  clock.pass(3000);
  expect(sent).toBe("the prompt");
  /** Until everything is written. */
  const end = () => {
    clock.pass(60_000);
    for (let more = 0; more < 60 && !writer.isIdle; more++) {
      // Who lies about an edit is found out with the next change.
      if (kind.needsKey || kind.stale === "lie") editor.type({ start: 2, end: 2, text: "" });
      clock.pass(3000);
    }
    return { text: editor.text, trouble, idle: writer.isIdle };
  };
  return { clock, editor, writer, end };
}

/** A conversation: the answer streams, and the person types. */
function converse(
  kind: Kind,
  eol: "\n" | "\r\n",
  deltas: { after: number; text: string }[],
  keys: Key[],
  seed: number,
) {
  let lastTyped = Number.NEGATIVE_INFINITY;
  let shortestQuiet = Number.POSITIVE_INFINITY;
  const { clock, editor, writer, end } = begun(kind, eol, seed, (now) => {
    shortestQuiet = Math.min(shortestQuiet, now - lastTyped);
  });
  const withEol = (text: string) => text.replaceAll("\n", eol);
  const head = withEol("# Chat\n\nabove\n");
  const { quietMs } = mannerOf(kind.client);
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
  const is = end();
  const answer = deltas.map(({ text }) => text).join("");
  const expected = [
    head,
    typedAbove.reverse().join(""),
    withEol(`\n## You\n\n${typedInside.join("")}the prompt\n\n## pi\n\n${answer}\n\n## You\n\n`),
    typedBelow.join(""),
  ].join("");
  expect(shortestQuiet).toBeGreaterThanOrEqual(quietMs);
  return { is, expected };
}

const everywhere: Key["where"][] = ["below", "above", "inside"];
const cases: [Kind, Key["where"][], number?][] = [
  [throttled, ["below"]],
  // What has gone astray is taken out again, if nobody types in that moment too.
  [{ ...throttled, name: "throttled, with pauses" }, everywhere, 400],
  [lying, everywhere],
  [early, everywhere],
  [debounced, ["below"]],
  [merging, ["below"]],
  [hasty, everywhere],
  [full, ["below"]],
  [clumsy, everywhere],
];

test.each(cases.map(([kind, where, pause]) => ({ kind, where, pause })))(
  "an answer and a typing person, $kind.name",
  (row) => {
    const { kind, where, pause } = row;
    fc.assert(
      fc.property(
        fc.constantFrom("\n" as const, "\r\n" as const),
        streamed,
        typed(where, pause),
        fc.nat(),
        (eol, deltas, keys, seed) => {
          const { is, expected } = converse(kind, eol, deltas, keys, seed);
          expect(is).toEqual({ text: expected, trouble: [], idle: true });
        },
      ),
      { numRuns: 1000 },
    );
  },
);

const asked = (prompt: string): Asked => ({ prompt, done: () => {} });

// An edit without a version replaces what is there when it arrives.
test.each<[string, Job, { start: string; typed: string; becomes: string }]>([
  [
    "the prompt moves up",
    take(asked("ask"), (prompt) => `\n\n## You\n\n${prompt}\n\n## pi\n\n`),
    {
      start: "# Chat\n\n## You\n\nask\n",
      typed: "x",
      becomes: "# Chat\n\n## You\n\nask\n\n## pi\n\n\n\n## You\nx\n",
    },
  ],
  [
    "a file without headings becomes a chat",
    take(asked("ask"), (prompt) => `\n\n## You\n\n${prompt}\n\n## pi\n\n`),
    { start: "ask\n", typed: "x", becomes: "## You\n\nask\n\n## pi\n\n\n\n## You\nx\n" },
  ],
  [
    "the prompt goes",
    clear(asked("y")),
    { start: "# Chat\n\n## You\ny\n", typed: "yes", becomes: "# Chat\n\n## You\nyes\n" },
  ],
  [
    "the prompt of a cleared document goes",
    clear(asked("ask")),
    { start: "ask\n", typed: "x", becomes: "## You\nx\n" },
  ],
  [
    "something comes back below it",
    below("back"),
    { start: "# Chat\n\n## You\n\nask\n", typed: "x", becomes: "# Chat\n\n## You\n\naskx\n\nback\n" },
  ],
  ["a new file gets its heading", heading(), { start: "\n", typed: "x", becomes: "# pi\n\n## You\nx\n" }],
])("what is typed in the moment in which %s stays", (_name, job, { start, typed: added, becomes }) => {
  const clock = new SimulatedClock();
  const editor = new SimulatedEditor(throttled, clock, start, () => 2);
  const writer = new Writer(
    mannerOf("Neovim"),
    { send: (id, edits, text) => editor.receive(id, edits, text, null), trouble: () => {} },
    clock,
  );
  editor.writer = writer;
  writer.opened(start, 1);
  writer.do(job);
  const end = start.length - 1;
  editor.type({ start: end, end, text: added });
  clock.pass(5000);
  expect({ text: editor.text, isIdle: writer.isIdle }).toEqual({ text: becomes, isIdle: true });
});

test.each([early, hasty, lying])("all headings are deleted while an answer streams, $name", (kind) => {
  fc.assert(
    fc.property(
      fc.constantFrom("\n" as const, "\r\n" as const),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 3000 }),
      fc.nat(),
      (eol, gap, when, seed) => {
        const { clock, editor, writer, end } = begun(kind, eol, seed);
        const words = Array.from({ length: 60 }, (_, at) => `w${at} `);
        for (const [at, word] of words.entries()) clock.after(at * gap, () => writer.append(word));
        let hasBegun = true;
        clock.after(when, () => {
          hasBegun = editor.text.includes("w0 ");
          const found = [...editor.text.matchAll(/^## .*\r?\n?/gm)];
          for (const { index, 0: line } of found.reverse())
            editor.type({ start: index, end: index + line.length, text: "" });
        });
        const { text, trouble, idle } = end();
        const written: string[] = text.match(/w\d+ /g) ?? [];
        expect(idle).toBe(true);
        // Its place cannot be told where hardly a word of it is there. Then it ends, and that is said.
        if ((!hasBegun || kind !== early) && trouble.length > 0) {
          expect({ trouble, written }).toEqual({ trouble: ["detached"], written: words.slice(0, written.length) });
          return;
        }
        expect({ trouble, written }).toEqual({ trouble: [], written: words });
        expect(text).toMatch(/^## You\s*$/m);
      },
    ),
    { numRuns: 1000 },
  );
});
