import { expect, test } from "vitest";
import { validate } from "../../src/bridge/validate.ts";
import { commandSpec } from "../../src/protocol/commands.ts";

/** The message, and whether a newer pi may know better; or the value that passed. */
function check(command: string, params: unknown) {
  const result = validate(commandSpec(command)?.params() as never, params, `pi/${command}`);
  return result.ok
    ? { value: result.value }
    : { text: result.text, newer: result.newer, issues: (result.error.data as { issues: unknown }).issues };
}

const one = (path: (string | number)[], message: string, newer: boolean, command = "prompt") => ({
  text: `pi/${command}: ${message}`,
  newer,
  issues: [{ path, message }],
});

test.for<[command: string, params: unknown, result: unknown]>([
  ["prompt", { message: "hi" }, { value: { message: "hi" } }],
  ["prompt", {}, one(["message"], "message is missing (a string is expected)", false)],
  ["prompt", { message: 5 }, one(["message"], "message must be a string, got 5", false)],
  ["prompt", { message: null }, one(["message"], "message must be a string, got null", false)],
  ["prompt", [1, 2], one([], "params must be an object, got [1,2]", false)],
  ["prompt", "text", one([], 'params must be an object, got "text"', false)],
  ["prompt", { message: "x", mesage: "y" }, one(["mesage"], 'unknown key "mesage" (did you mean "message"?)', true)],
  [
    "prompt",
    { message: "x", zzzzzzz: 1 },
    one(["zzzzzzz"], 'unknown key "zzzzzzz" (it takes message, images, streamingBehavior)', true),
  ],
  ["prompt", { message: "x", id: "1" }, one(["id"], '"id" is set by the bridge and cannot be given', false)],
  ["prompt", { message: "x", type: "bash" }, one(["type"], '"type" is set by the bridge and cannot be given', false)],
  [
    "prompt",
    { message: "x", streamingBehavior: "followup" },
    one(
      ["streamingBehavior"],
      'streamingBehavior must be one of "steer", "followUp", got "followup" (did you mean "followUp"?)',
      true,
    ),
  ],
  [
    "prompt",
    { message: "x", streamingBehavior: 1 },
    one(["streamingBehavior"], 'streamingBehavior must be one of "steer", "followUp", got 1', false),
  ],
  [
    "prompt",
    { message: "x", images: [{ type: "image", data: 5, mimeType: "image/png" }] },
    one(["images", 0, "data"], "images.0.data must be a string, got 5", false),
  ],
  ["abort", { x: 1 }, one(["x"], 'unknown key "x" (it takes no parameters)', true, "abort")],
  [
    "set_auto_compaction",
    { enabled: "yes" },
    one(["enabled"], 'enabled must be a boolean, got "yes"', false, "set_auto_compaction"),
  ],
])("%s %j", ([command, params, result]) => {
  expect(check(command, params)).toEqual(result);
});

test("what is shown of a wrong value is short, whatever the value", () => {
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  for (const wrong of [deep, "x".repeat(100_000), { a: "x".repeat(100_000) }]) {
    const result = check("prompt", { message: wrong === "x" ? 1 : [wrong] });
    expect((result as { text: string }).text.length).toBeLessThan(200);
  }
});

test("several faults are told together", () => {
  expect(check("prompt", { mesage: 1, streamingBehavior: "now" })).toMatchObject({
    newer: false,
    issues: [{ path: ["message"] }, { path: ["streamingBehavior"] }, { path: ["mesage"] }],
  });
});
