import { expect, test } from "vitest";
import { redactor } from "../../src/trace/redact.ts";

const environment = {
  ANTHROPIC_API_KEY: "anthropic-key-of-ada",
  LONGER_TOKEN: "anthropic-key-of-ada-and-more",
  GH_TOKEN: 'quo"ted\\token',
  HOME: "/home/ada-and-her-home",
  SHORT_KEY: "seven77",
};
const base64 = "iVBORw0KGgo/+A==".repeat(32);

/** A record, and what a trace keeps of it. */
const rows: [what: string, record: unknown, kept: unknown][] = [
  ["an image", { data: base64, mimeType: "image/png" }, { data: "<512 characters of base64>", mimeType: "image/png" }],
  [
    "an image in a text",
    { text: `data:image/png;base64,${base64}` },
    { text: "data:image/png;base64,<512 characters of base64>" },
  ],
  ["a short word that is called data", { data: "aGVsbG8=" }, { data: "aGVsbG8=" }],
  ["text of the length of an image", { text: base64 }, { text: base64 }],
  [
    "a key of the environment",
    { output: "key=anthropic-key-of-ada\n" },
    { output: "key=<redacted ANTHROPIC_API_KEY>\n" },
  ],
  ["a key that begins as another does", ["anthropic-key-of-ada-and-more"], ["<redacted LONGER_TOKEN>"]],
  ["a key that JSON escapes", ['x quo"ted\\token x'], ["x <redacted GH_TOKEN> x"]],
  ["a key in the name of a member", { "anthropic-key-of-ada": 1 }, { "<redacted ANTHROPIC_API_KEY>": 1 }],
  ["a variable that is no secret", ["/home/ada-and-her-home"], ["/home/ada-and-her-home"]],
  ["a secret too short to be told from a word", ["seven77"], ["seven77"]],
  ["a member apiKey", { provider: "x", apiKey: 'a"b\\c' }, { provider: "x", apiKey: "<redacted>" }],
  ["a member api_key", { api_key: "abc" }, { api_key: "<redacted>" }],
  ["a header", { headers: { Authorization: "Bearer abc" } }, { headers: { Authorization: "<redacted>" } }],
  ["a password", { dbPassword: "abc" }, { dbPassword: "<redacted>" }],
  [
    "tokens of an account",
    { accessToken: "a", refresh_token: "b" },
    { accessToken: "<redacted>", refresh_token: "<redacted>" },
  ],
  ["counted tokens", { totalTokens: 12, token: "text" }, { totalTokens: 12, token: "text" }],
  [
    "a settings file that a tool has read",
    { text: JSON.stringify({ apiKey: "abc", x: 1 }, undefined, 2) },
    { text: JSON.stringify({ apiKey: "<redacted>", x: 1 }, undefined, 2) },
  ],
  [
    "the words of pi",
    { start: ["pi", "--api-key", "abc", "--model", "m"] },
    { start: ["pi", "--api-key", "<redacted>", "--model", "m"] },
  ],
  ["a word with its value", ["--api-key=abc", "--token=abc"], ["--api-key=<redacted>", "--token=<redacted>"]],
  ["a command line", { command: "pi --api-key abc -p hi" }, { command: "pi --api-key <redacted> -p hi" }],
  ["words within a text", { text: 'args: ["--api-key","abc"]' }, { text: 'args: ["--api-key","<redacted>"]' }],
  ["a flag that counts", { command: "x --max-tokens 12" }, { command: "x --max-tokens 12" }],
  ["a key that its provider made recognisable", ["use sk-ant-api03-abcdefghijkl now"], ["use <redacted> now"]],
  ["a word that looks like one", ["a task-force-of-many-people"], ["a task-force-of-many-people"]],
];

test.for(rows)("%s", ([, record, kept]) => {
  expect(JSON.parse(redactor(environment)(JSON.stringify(record)))).toEqual(kept);
});

test("no environment, nothing to look for", () => {
  const text = '{"type":"message_update","delta":"anthropic-key-of-ada"}';
  expect(redactor({}, { EMPTY_KEY: "", UNSET_KEY: undefined })(text)).toBe(text);
});
