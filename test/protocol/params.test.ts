import { expect, test } from "vitest";
import { type CommandName, commandSpec, commands } from "../../src/protocol/commands.ts";

const names = Object.keys(commands) as CommandName[];

/** What is wrong with it is at the PATH that the issue must name. */
const wrong: [command: CommandName, params: unknown, path: string][] = [
  ["prompt", {}, "message"],
  ["prompt", { message: 5 }, "message"],
  ["prompt", { message: ["Hello"] }, "message"],
  ["prompt", { message: "Hello", streamingBehavior: "now" }, "streamingBehavior"],
  ["prompt", { message: "Hello", streamingBehavior: null }, "streamingBehavior"],
  ["prompt", { message: "Hello", streamingBehavior: undefined }, "streamingBehavior"],
  ["prompt", { message: "Hello", images: "cat.png" }, "images"],
  ["prompt", { message: "Hello", images: [{ type: "image", data: "" }] }, "images.0.mimeType"],
  ["prompt", { message: "Hello", images: [{ type: "png", data: "", mimeType: "image/png" }] }, "images.0.type"],
  ["prompt", { message: "Hello", images: [{ type: "image", data: "", mimeType: "", mime: "" }] }, "images.0"],
  ["prompt", { mesage: "Hello", message: "Hello" }, ""],
  ["steer", {}, "message"],
  ["steer", { message: "Hello", streamingBehavior: "steer" }, ""],
  ["follow_up", { message: null }, "message"],
  ["new_session", { parentSession: 1 }, "parentSession"],
  ["set_model", { provider: "anthropic" }, "modelId"],
  ["set_model", { modelId: "claude-sonnet-4" }, "provider"],
  ["set_model", { provider: "anthropic", modelId: "claude-sonnet-4", model: "x" }, ""],
  ["set_thinking_level", { level: "bogus" }, "level"],
  ["set_thinking_level", {}, "level"],
  ["set_steering_mode", { mode: "bogus" }, "mode"],
  ["set_follow_up_mode", { mode: "One-at-a-time" }, "mode"],
  ["compact", { customInstructions: false }, "customInstructions"],
  ["set_auto_compaction", { enabled: "true" }, "enabled"],
  ["set_auto_retry", { enabled: 1 }, "enabled"],
  ["bash", { command: ["ls"] }, "command"],
  ["bash", { command: "ls", excludeFromContext: "yes" }, "excludeFromContext"],
  ["export_html", { outputPath: null }, "outputPath"],
  ["switch_session", {}, "sessionPath"],
  ["switch_session", { sessionPath: "a.jsonl", cwd: "/" }, ""],
  ["fork", { entryId: 12 }, "entryId"],
  ["get_entries", { since: 0 }, "since"],
  ["set_session_name", { name: undefined }, "name"],
];

test.each(wrong)("%s refuses %j at %j", (command, params, path) => {
  const result = commands[command].params().safeParse(params);
  // Of a union any of its forms may name the member.
  const paths = (result.error?.issues ?? []).flatMap((issue) =>
    issue.code === "invalid_union" && issue.errors.length > 0
      ? issue.errors.flat().map((inner) => [...issue.path, ...inner.path].join("."))
      : [issue.path.join(".")],
  );
  expect(paths).toContain(path);
  expect(new Set(paths.map((one) => one.split(".")[0])).size).toBe(1);
});

test("there is a wrong example for every command that has parameters", () => {
  const withParams = names.filter((name) => Object.keys(commands[name].params().shape).length > 0);
  expect(withParams.filter((name) => !wrong.some(([command]) => command === name))).toEqual([]);
});

test.each(names)("%s refuses unknown keys, id and type, and what is no object", (name) => {
  const { params, example } = commands[name];
  const refused = [
    { ...example.params, unknown: 1 },
    { ...example.params, id: "1" },
    { ...example.params, type: name },
    "text",
    7,
    [example.params],
    null,
  ];
  expect(refused.filter((value) => params().safeParse(value).success)).toEqual([]);
});

test.each([
  ["abort", []],
  ["prompt", ["message", "images", "streamingBehavior"]],
  ["set_model", ["provider", "modelId"]],
  ["bash", ["command", "excludeFromContext"]],
] as const)("%s takes its parameters in this order: %j", (name, keys) => {
  expect(Object.keys(commands[name].params().shape)).toEqual(keys);
});

test.each(["__proto__", "toString", "constructor", "hasOwnProperty", "", "prompt "])("%j is no command", (name) => {
  expect(commandSpec(name)).toBeUndefined();
});
