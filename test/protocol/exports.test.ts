import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import * as protocol from "../../src/exports.ts";
import { bridgeMethods } from "../../src/protocol/bridge.ts";
import { commands } from "../../src/protocol/commands.ts";
import { events } from "../../src/protocol/events.ts";
import { announcements, dialogs } from "../../src/protocol/ui.ts";

/** `pi/ui/set_editor_text` is `PiUiSetEditorText`. */
function constant(method: string, kind: "Request" | "Notification"): string {
  return method.replaceAll(/(?:^|[/_.])(\w)/g, (_, letter: string) => letter.toUpperCase()) + kind;
}

const expected = Object.fromEntries([
  ...Object.keys(commands).map((name) => [constant(`pi/${name}`, "Request"), `pi/${name}`]),
  ...Object.keys(events).map((name) => [constant(`pi/${name}`, "Notification"), `pi/${name}`]),
  ...Object.keys(dialogs).map((name) => [constant(`pi/ui/${name}`, "Request"), `pi/ui/${name}`]),
  ...Object.keys(announcements).map((name) => [constant(`pi/ui/${name}`, "Notification"), `pi/ui/${name}`]),
  ...Object.keys(bridgeMethods.requests).map((name) => [constant(name, "Request"), name]),
  ...Object.keys(bridgeMethods.notifications).map((name) => [constant(name, "Notification"), name]),
]);

test("there is a constant for every method", () => {
  const constants = Object.entries(protocol).filter(([name]) => /(Request|Notification)$/.test(name));
  expect(Object.fromEntries(constants.map(([name, type]) => [name, (type as { method: string }).method]))).toEqual(
    expected,
  );
});

test("a request without parameters is sent without", () => {
  const lengths = [protocol.PiAbortRequest, protocol.PiPromptRequest].map((type) => type.numberOfParams);
  expect(lengths).toEqual([0, 1]);
});

test("importing starts nothing and builds no schema", () => {
  const script = `
    await import(${JSON.stringify(new URL("../../src/exports.ts", import.meta.url).href)});
    const { globalRegistry } = await import("zod");
    console.log(JSON.stringify([process.getActiveResourcesInfo(), globalRegistry._idmap.size]));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: new URL("../..", import.meta.url),
    encoding: "utf8",
  });
  const [resources, schemas] = JSON.parse(output) as [string[], number];
  expect(resources.filter((resource) => !/^(Pipe|TTY|FSReq)/.test(resource))).toEqual([]);
  expect(schemas).toBe(0);
});
