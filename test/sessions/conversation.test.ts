import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { BridgeParams, BridgeResult } from "../../src/protocol/bridge.ts";
import { newestPi, realPis } from "../support/pis.ts";
import type { Talk } from "../support/talk.ts";
import { store } from "./stored.ts";
import { command, prompt, resume, start } from "./with-pi.ts";

type Tree = BridgeResult<"bridge/tree">;
type History = BridgeResult<"bridge/history">;

interface Entry {
  id: string;
  parentId: string | null;
  type: string;
  timestamp: string;
  message?: { role: string; content: unknown };
  [member: string]: unknown;
}

async function tree(talk: Talk, params: BridgeParams<"bridge/tree"> = {}): Promise<Tree> {
  return (await talk.call("bridge/tree", params)) as Tree;
}

async function history(talk: Talk, params: BridgeParams<"bridge/history"> = {}): Promise<History> {
  return (await talk.call("bridge/history", params)) as History;
}

async function entries(talk: Talk): Promise<{ entries: Entry[]; leafId: string | null }> {
  return (await talk.call("pi/get_entries")) as { entries: Entry[]; leafId: string | null };
}

/** The active branch, by pi's own answer. */
async function branch(talk: Talk): Promise<Entry[]> {
  const all = await entries(talk);
  const path: Entry[] = [];
  for (let id = all.leafId; id !== null; ) {
    const entry = all.entries.find((other) => other.id === id) as Entry;
    path.unshift(entry);
    id = entry.parentId;
  }
  return path;
}

/** All pages, the oldest message first. */
async function pages(talk: Talk, limit: number): Promise<History["messages"]> {
  const messages: History["messages"] = [];
  for (let before: string | undefined; ; ) {
    const page = await history(talk, { limit, ...(before !== undefined && { before }) });
    expect(page.messages.length).toBeLessThanOrEqual(limit);
    messages.unshift(...page.messages);
    before = page.before;
    if (before === undefined) return messages;
  }
}

/** Two branches, labels, a compaction, the summary of a branch, and a message of an extension. */
async function grow(talk: Talk): Promise<{ abandoned: string; labelled: string }> {
  await prompt(talk, "say: one");
  const labelled = (await entries(talk)).entries.find(({ message }) => message?.role === "user")?.id ?? "";
  await prompt(talk, "say: the way that is left");
  const abandoned = (await entries(talk)).leafId ?? "";
  const answer = (await branch(talk)).find(({ message }) => message?.role === "assistant")?.id;
  await command(talk, `/label ${labelled} start`);
  await command(talk, `/label ${abandoned} wrong`);
  await command(talk, `/label ${abandoned}`);
  await command(talk, `/go ${answer} summarize`);
  await prompt(talk, 'say: two\ntool: bash {"command":"echo out"}\nsay: three');
  await command(talk, "/say from the extension");
  await talk.call("pi/compact", { customInstructions: "say: What was said before." });
  await prompt(talk, "say: four");
  return { abandoned, labelled };
}

describe.each(realPis)("$name", (pi) => {
  test("the tree is that of the entries, flat, with labels and the active branch", async () => {
    const talk = await start(pi);
    const { abandoned, labelled } = await grow(talk);
    const all = await entries(talk);
    const active = new Set((await branch(talk)).map(({ id }) => id));
    const { nodes, leafId, cursor } = await tree(talk);
    expect([leafId, cursor]).toEqual([all.leafId, undefined]);
    expect(nodes.map(({ preview: _, label: _label, ...node }) => node)).toEqual(
      all.entries.map(({ id, parentId, type, timestamp, message }) => ({
        id,
        parentId,
        type,
        timestamp,
        ...(message && { role: message.role }),
        active: active.has(id),
      })),
    );
    expect(nodes.filter(({ label }) => label !== undefined)).toMatchObject([{ id: labelled, label: "start" }]);
    expect(active.has(abandoned)).toBe(false);
    const previews = nodes.map(({ type, role, preview }) => `${role ?? type}: ${preview}`);
    expect(previews).toEqual(
      expect.arrayContaining([
        "user: say: one",
        "assistant: one",
        "label: start",
        "assistant: two",
        "toolResult: bash: out",
        "custom_message: from the extension",
        expect.stringMatching(/^compaction: What was said before\./),
        expect.stringMatching(/^branch_summary: /),
        "model_change: scripted/script",
      ]),
    );
    expect(previews.filter((text) => text.length > 150 || text.includes("\n"))).toEqual([]);
  });

  test("its pages show one moment", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: one");
    const whole = await tree(talk);
    const first = await tree(talk, { limit: 2 });
    await command(talk, `/label ${whole.nodes[0]?.id} later`);
    await prompt(talk, "say: two");
    const seen = [...first.nodes];
    for (let { cursor } = first; cursor !== undefined; ) {
      const page: Tree = await tree(talk, { limit: 2, cursor });
      expect([page.nodes.length <= 2, page.leafId]).toEqual([true, whole.leafId]);
      seen.push(...page.nodes);
      cursor = page.cursor;
    }
    expect(seen).toEqual(whole.nodes);
    expect((await tree(talk)).nodes.length).toBeGreaterThan(whole.nodes.length);
  });

  test("history is the active branch, page by page, whatever the size of a page", async () => {
    const talk = await start(pi);
    await grow(talk);
    const expected = (await branch(talk)).flatMap((entry): { entryId: string; message: unknown }[] => {
      const { id, type, timestamp, message, summary, tokensBefore, fromId, customType, content, display } = entry;
      const time = { timestamp: Date.parse(timestamp) };
      if (type === "message") return [{ entryId: id, message }];
      if (type === "compaction")
        return [{ entryId: id, message: { role: "compactionSummary", summary, tokensBefore, ...time } }];
      if (type === "branch_summary")
        return [{ entryId: id, message: { role: "branchSummary", summary, fromId, ...time } }];
      if (type === "custom_message")
        return [{ entryId: id, message: { role: "custom", customType, content, display, ...time } }];
      return [];
    });
    expect(expected.map(({ message }) => (message as { role: string }).role)).toEqual(
      expect.arrayContaining(["user", "assistant", "toolResult", "custom", "compactionSummary", "branchSummary"]),
    );
    expect(await history(talk)).toEqual({ messages: expected, total: expected.length });
    for (const limit of [1, 2, 3, expected.length - 1, expected.length])
      expect(await pages(talk, limit)).toEqual(expected);
    // What the model still sees is a part of it, in the same shape.
    const { messages } = (await talk.call("pi/get_messages")) as { messages: unknown[] };
    const shown = expected.map(({ message }) => message);
    expect(messages.filter((message) => (message as { role: string }).role !== "system").length).toBeGreaterThan(3);
    for (const message of messages)
      if ((message as { role: string }).role !== "system") expect(shown).toContainEqual(message);
  });

  test("pages go on where they began, also when another branch is active by then", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: one");
    await prompt(talk, "say: two");
    const whole = (await history(talk)).messages;
    const last = await history(talk, { limit: 1 });
    const [first] = whole.filter(({ message }) => message.role === "user");
    await command(talk, `/go ${first?.entryId}`);
    await prompt(talk, "say: another way");
    const rest = await history(talk, { before: last.before as string });
    expect([...rest.messages, ...last.messages]).toEqual(whole);
    expect((await history(talk)).messages.at(-1)).toMatchObject({ message: { content: [{ text: "another way" }] } });
  });

  test("a fork is not taken for the session that it comes from", async () => {
    const talk = await start(pi);
    await prompt(talk, "say: one");
    await prompt(talk, "say: two");
    const whole = await history(talk);
    const { messages } = (await talk.call("pi/get_fork_messages")) as { messages: { entryId: string }[] };
    await talk.call("pi/fork", { entryId: messages[1]?.entryId });
    const { messages: forked } = await history(talk);
    expect(forked.map(({ message }) => message)).toEqual(
      whole.messages.slice(0, forked.length).map(({ message }) => message),
    );
    expect(forked.at(-1)).toMatchObject({ message: { content: [{ text: "one" }] } });
    await talk.call("pi/new_session");
    expect((await history(talk)).messages.filter(({ message }) => message.role !== "system")).toEqual([]);
  });
});

test("a conversation of 10,000 messages stays flat, and opens by its last page", async () => {
  const talk = await start(newestPi);
  const file = store(talk.sandbox.sessions, { id: "long", cwd: talk.sandbox.project });
  const lines = Array.from({ length: 10_000 }, (_, at) =>
    JSON.stringify({
      type: "message",
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      timestamp: "2026-01-01T00:00:00.000Z",
      message: { role: "user", content: `message ${at}`, timestamp: at },
    }),
  );
  appendFileSync(file, `${lines.join("\n")}\n`);
  await resume(talk, { file });
  const from = talk.received.length;
  const { nodes } = await tree(talk, { limit: 100_000 });
  expect(depth(talk.received.slice(from).findLast(({ text }) => text.includes('"nodes"'))?.text ?? "")).toBeLessThan(6);
  expect(nodes.filter(({ type }) => type === "message").every(({ active }) => active)).toBe(true);
  const last = await history(talk, { limit: 3 });
  expect(last.total).toBe(10_000);
  expect(last.messages.map(({ entryId }) => entryId)).toEqual(["e9997", "e9998", "e9999"]);
  expect((await pages(talk, 999)).length).toBe(10_000);
});

test("large texts are references, if that was asked for", async () => {
  const talk = await start(newestPi, { optIn: { largePayloads: { above: 1024 } } });
  await talk.call("bridge/run", { message: 'tool: bash {"command":"seq 1 2000"}\nsay: done' });
  const { messages } = await history(talk);
  const result = messages.find(({ message }) => message.role === "toolResult")?.message as {
    content: { id?: string }[];
  };
  expect(result.content).toMatchObject([{ type: "reference", of: "text" }]);
  expect(await talk.call("bridge/fetch", { id: result.content[0]?.id })).toMatchObject({ type: "text" });
});

test.each<[method: string, params: object, message: string]>([
  ["bridge/tree", { cursor: "nonsense" }, "bridge/tree: cursor: it is not one of mine"],
  ["bridge/tree", { limit: 0 }, "limit"],
  ["bridge/history", { before: "nobody" }, 'bridge/history: before: the open session has no entry "nobody"'],
  ["bridge/history", { after: "a" }, 'unknown key "after"'],
])("%s refuses %j", async (method, params, message) => {
  const talk = await start(newestPi);
  expect(await talk.request(method, params)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining(message), data: { kind: "invalid_params" } },
  });
});

test("a cursor of another session is refused", async () => {
  const talk = await start(newestPi);
  await prompt(talk, "say: one");
  const { cursor } = await tree(talk, { limit: 1 });
  await talk.call("pi/new_session");
  expect(await talk.request("bridge/tree", { cursor })).toMatchObject({
    error: { message: "bridge/tree: cursor: another session is open since; ask again without it" },
  });
});

test("an empty session has neither nodes nor messages", async () => {
  const talk = await start(newestPi, { initializationOptions: { args: [] } });
  expect((await history(talk)).messages).toEqual([]);
  expect((await tree(talk)).nodes.filter(({ type }) => type === "message")).toEqual([]);
});

function depth(json: string): number {
  let deepest = 0;
  let open = 0;
  for (const character of json) {
    if (character === "{" || character === "[") open += 1;
    else if (character === "}" || character === "]") open -= 1;
    deepest = Math.max(deepest, open);
  }
  return deepest;
}
