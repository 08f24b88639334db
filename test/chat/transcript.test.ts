import { expect, test } from "vitest";
import { Transcript } from "../../src/features/chat/transcript.ts";

type Records = [type: string, record: Record<string, unknown>][];

const update = (event: object): [string, Record<string, unknown>] => [
  "message_update",
  { assistantMessageEvent: event },
];
const text = (...deltas: string[]): Records => [
  update({ type: "text_start" }),
  ...deltas.map((delta) => update({ type: "text_delta", delta })),
];
const thinking = (content: string): Records => [update({ type: "thinking_end", content })];
const tool = (toolName: string, args: object, result: object, isError = false): Records => [
  ["tool_execution_start", { toolCallId: toolName, toolName, args }],
  ["tool_execution_end", { toolCallId: toolName, toolName, result, isError }],
];
const output = (value: string) => ({ content: [{ type: "text", text: value }] });
const ended = (message: object): Records => [["message_end", { message }]];

function transcribe(records: Records): string {
  const transcript = new Transcript();
  return transcript.turn("ask") + records.map(([type, record]) => transcript.record(type, record)).join("");
}

const cases: [name: string, records: Records, answer: string][] = [
  ["text as it is", text("One ", "two\n", "\n```\ncode\n```"), "One two\n\n```\ncode\n```"],
  ["a paragraph between blocks", [...text("One."), ...text("Two.\n"), ...text("Three.")], "One.\n\nTwo.\n\nThree."],
  ["thinking in a line", [...thinking("Hm."), ...text("Yes.")], "> *Hm.*\n\nYes."],
  ["long thinking with its size", thinking("First.\nSecond.\n"), "> *First.* (thinking, 2 lines, 14 B)"],
  [
    "tool calls as a list",
    [
      ...tool("read", { path: "a.ts" }, output("1\n2\n")),
      ...tool("bash", { command: "true" }, output("")),
      ...text("Done."),
    ],
    "- **read** `a.ts` → 2 lines, 4 B\n- **bash** `true` → no output\n\nDone.",
  ],
  [
    "a failure",
    tool("read", { path: "a" }, output("ENOENT: no such file\nmore"), true),
    "- **read** `a` → failed: ENOENT: no such file",
  ],
  [
    "a change with its diff",
    tool("edit", { path: "a" }, { content: [], details: { patch: "--- a\n+++ a\n@@ -1 +1 @@\n-1\n+2\n" } }),
    "- **edit** `a` → +1 −1\n\n```diff\n@@ -1 +1 @@\n-1\n+2\n```",
  ],
  ["a written file", tool("write", { path: "a", content: "1\n2\n" }, output("ok")), "- **write** `a` → 2 lines, 4 B"],
  ["an image", tool("read", { path: "a.png" }, { content: [{ type: "image" }] }), "- **read** `a.png` → 1 image"],
  ["an answer that did not stream", ended({ role: "assistant", content: [{ type: "text", text: "All." }] }), "All."],
  [
    "an error, when it is final",
    [
      ...ended({ role: "assistant", content: [], stopReason: "error", errorMessage: "overloaded" }),
      ["agent_settled", {}],
    ],
    "**pi could not go on:** overloaded",
  ],
  [
    "no error that was made good",
    [
      ...ended({ role: "assistant", content: [], stopReason: "error", errorMessage: "overloaded" }),
      ...text("Yes."),
      ...ended({ role: "assistant", content: [{ type: "text", text: "Yes." }] }),
      ["agent_settled", {}],
    ],
    "Yes.",
  ],
  ["a stop", [...text("On"), ["agent_settled", { aborted: true }]], "On\n\n*Stopped.*"],
  [
    "a command of the person's, its output cut",
    ended({
      role: "bashExecution",
      command: "seq 30",
      output: Array.from({ length: 30 }, (_, at) => at).join("\n"),
      exitCode: 0,
    }),
    `- **!** \`seq 30\` → exit code 0, 30 lines, 79 B\n\n\`\`\`\n${Array.from({ length: 20 }, (_, at) => at).join("\n")}\n… 10 more lines\n\`\`\``,
  ],
  ["what a terminal would hide", text("\u001b[32mgreen\u001b[0m\u2028\u0000"), "green \ufffd"],
  ["a compaction", [["compaction_end", {}]], "*The conversation was compacted.*"],
];

test.each(cases)("%s", (_name, records, answer) => {
  expect(transcribe(records)).toBe(`\n\n## You\n\nask\n\n## pi\n\n${answer}`);
});

test("a stored conversation is what was streamed", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "ask" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "See:" },
        { type: "toolCall", id: "1", name: "read", arguments: { path: "a.ts" } },
      ],
    },
    { role: "toolResult", toolCallId: "1", toolName: "read", content: [{ type: "text", text: "1\n" }], isError: false },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
  ];
  const streamed = transcribe([
    ...thinking("Hm."),
    ...text("See:"),
    ...tool("read", { path: "a.ts" }, output("1\n")),
    ...text("Done."),
  ]);
  expect(new Transcript().history(messages)).toBe(streamed);
});
