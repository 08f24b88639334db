import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakePi } from "../support/pis.ts";
import { chatWith } from "./chat-client.ts";

const folder = join(import.meta.dirname, "../../docs/editors");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const pages = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");

test("the overview names every command that is for people", async () => {
  const editor = await chatWith(fakePi);
  const answer = await editor.talk.until(({ id, method }) => id === "initialize" && method === undefined);
  const { capabilities } = answer.result as { capabilities: { executeCommandProvider: { commands: string[] } } };
  const commands = capabilities.executeCommandProvider.commands.filter((name) => /^pi\.(chat|ask|pick)\./.test(name));
  expect(commands.length).toBeGreaterThan(10);
  const overview = read("README.md");
  expect(commands.filter((name) => !overview.includes(`\`${name}\``))).toEqual([]);
});

test.each(pages)("%s says what it is known from, and the overview leads to it", (page) => {
  expect(read(page)).toMatch(/[Tt]ested|[Mm]easured|[Ff]rom its source/);
  expect(read("README.md")).toContain(`(${page})`);
});
