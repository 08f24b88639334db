import { expect, test } from "vitest";
import type * as z from "zod";
import { type BridgeNotificationSpec, type BridgeRequestSpec, bridgeMethods } from "../../src/protocol/bridge.ts";
import { type CommandSpec, commands } from "../../src/protocol/commands.ts";
import { type ErrorSpec, errors } from "../../src/protocol/errors.ts";
import { type EventSpec, events } from "../../src/protocol/events.ts";
import { type AnnouncementSpec, announcements, type DialogSpec, dialogs } from "../../src/protocol/ui.ts";

// A schema strips what it does not know: an example that survives whole has no member that the documentation lacks.
const rows: [what: string, schema: () => z.ZodType, example: unknown][] = [
  ...Object.entries<CommandSpec>(commands).flatMap(([name, spec]): typeof rows => [
    [`params of pi/${name}`, spec.params, spec.example.params],
    [`result of pi/${name}`, spec.result, spec.example.result],
  ]),
  ...Object.entries<EventSpec>(events).map(([name, spec]): (typeof rows)[0] => [
    `pi/${name}`,
    spec.record,
    spec.example,
  ]),
  ...Object.entries<DialogSpec>(dialogs).flatMap(([name, spec]): typeof rows => [
    [`pi/ui/${name}`, spec.record, spec.example.record],
    [`answer to pi/ui/${name}`, spec.answer, spec.example.answer],
  ]),
  ...Object.entries<AnnouncementSpec>(announcements).map(([name, spec]): (typeof rows)[0] => [
    `pi/ui/${name}`,
    spec.record,
    spec.example,
  ]),
  ...Object.entries<BridgeRequestSpec>(bridgeMethods.requests).flatMap(([name, spec]): typeof rows => [
    [`params of ${name}`, spec.params, spec.example.params],
    [`result of ${name}`, spec.result, spec.example.result],
  ]),
  ...Object.entries<BridgeNotificationSpec>(bridgeMethods.notifications).map(([name, spec]): (typeof rows)[0] => [
    `notification ${name}`,
    spec.params,
    spec.example,
  ]),
  ...Object.entries<ErrorSpec>(errors).flatMap(([name, { data, example }]): typeof rows =>
    data ? [[`data of the error ${name}`, data, example]] : [],
  ),
];

test.each(rows)("%s: the example is one", (_, schema, example) => {
  expect(schema().parse(example)).toEqual(example);
});

test.each(Object.entries<EventSpec>(events))("%s: a record may have members that a newer pi brings", (_, spec) => {
  expect(spec.record().safeParse({ ...(spec.example as object), ofTomorrow: 1 }).success).toBe(true);
});

test.each(Object.entries<EventSpec>(events))("%s: the record carries its name", (name, spec) => {
  expect(spec.example).toMatchObject({ type: name });
});
