import { expect, test } from "vitest";
import * as z from "zod";
import { bridgeMethods } from "../../src/protocol/bridge.ts";
import { type CommandSpec, commandGroups, commandSpec, commands } from "../../src/protocol/commands.ts";
import { type EventSpec, eventGroups, events } from "../../src/protocol/events.ts";
import { once } from "../../src/protocol/once.ts";
import { optionDefaults, options } from "../../src/protocol/options.ts";
import { announcements, dialogs, isAnnouncement, isDialog } from "../../src/protocol/ui.ts";

// First, before a test builds a schema: those with an id are counted when they are built.
const builtByImporting = [...z.globalRegistry._idmap.keys()];

test("importing the tables builds no schema", () => {
  expect(builtByImporting).toEqual([]);
  commands.get_state.result();
  expect([...z.globalRegistry._idmap.keys()]).toContain("Model");
});

test("a schema is built once", () => {
  let built = 0;
  const made = once(() => {
    built += 1;
    return undefined;
  });
  expect([made(), made(), built]).toEqual([undefined, undefined, 1]);
  expect(commands.prompt.params()).toBe(commands.prompt.params());
});

test("the groups are the tables", () => {
  expect(Object.assign({}, ...Object.values(commandGroups))).toEqual(commands);
  expect(Object.assign({}, ...Object.values(eventGroups))).toEqual(events);
  expect(Object.keys(commands)).toHaveLength(33);
  expect(Object.keys(events)).toHaveLength(24);
});

test("columns name commands that there are", () => {
  const specs = Object.values<CommandSpec>(commands);
  const named = specs.flatMap(({ cancel, drops = [] }) => [...(cancel ? [cancel.send] : []), ...drops]);
  expect(named.filter((name) => commandSpec(name) === undefined)).toEqual([]);
});

test("the columns", () => {
  const having = (column: keyof CommandSpec) =>
    Object.entries<CommandSpec>(commands).flatMap(([name, spec]) =>
      spec[column] === undefined ? [] : [[name, spec[column]]],
    );
  expect({
    cancel: having("cancel"),
    order: having("order"),
    drops: having("drops"),
    closesDialogs: having("closesDialogs"),
  }).toEqual({
    cancel: [
      ["compact", { send: "abort" }],
      ["bash", { send: "abort_bash" }],
    ],
    order: [
      ["prompt", "in_turn"],
      ["abort", "overtakes"],
      ["new_session", "alone"],
      ["abort_retry", "overtakes"],
      ["abort_bash", "overtakes"],
      ["switch_session", "alone"],
      ["fork", "alone"],
      ["clone", "alone"],
    ],
    drops: [
      ["abort", ["prompt", "steer", "follow_up", "compact"]],
      ["abort_bash", ["bash"]],
    ],
    closesDialogs: [
      ["abort", "abort"],
      ["new_session", "session_replaced"],
      ["switch_session", "session_replaced"],
      ["fork", "session_replaced"],
      ["clone", "session_replaced"],
    ],
  });
});

test("summaries are one sentence for people", () => {
  const specs: Record<string, { readonly summary: string }> = {
    ...commands,
    ...events,
    ...dialogs,
    ...announcements,
    ...bridgeMethods.requests,
    ...bridgeMethods.notifications,
  };
  const odd = Object.values<Pick<EventSpec, "summary">>(specs).filter(
    ({ summary }) => !/^[A-Zp].*[^.]\.$/.test(summary),
  );
  expect(odd).toEqual([]);
});

test.each([
  ["select", true, false],
  ["editor", true, false],
  ["notify", false, true],
  ["set_editor_text", false, true],
  ["toString", false, false],
  ["__proto__", false, false],
])("%s: dialog %s, announcement %s", (method, dialog, announcement) => {
  expect([isDialog(method), isAnnouncement(method)]).toEqual([dialog, announcement]);
});

test("an answer that carries both is a cancelled one", () => {
  expect(dialogs.select.answer().parse({ value: "a", cancelled: true })).toEqual({ cancelled: true });
});

test.each([null, { cancelled: true }, { value: "a" }])("%j answers a select", (answer) => {
  expect(dialogs.select.answer().parse(answer)).toEqual(answer);
});

test.each([{}, { confirmed: true }, { value: 1 }, { cancelled: false }, "a", true])("%j does not", (answer) => {
  expect(dialogs.select.answer().safeParse(answer).success).toBe(false);
});

test("the defaults are options", () => {
  expect(options().parse(optionDefaults)).toEqual(optionDefaults);
  expect(options().parse({ ofTomorrow: 1 })).toEqual({});
});

test.each([
  ["command", []],
  ["command", "pi"],
  ["args", "--offline"],
  ["env", { A: 1 }],
  ["session", "latest"],
  ["session", { file: "a", id: "b" }],
  ["trust", true],
  ["startTimeoutMs", 0],
  ["startTimeoutMs", "30s"],
  ["maxCommandBytes", 1023],
  ["maxCommandBytes", 8e6 + 0.5],
  ["executeCommand", null],
  ["pi", { events: "yes" }],
  ["pi", { dialogs: ["form"] }],
])("the option %s refuses %j", (name, value) => {
  const result = options().safeParse({ [name]: value });
  expect(result.error?.issues.map((issue) => issue.path[0])).toContain(name);
});
