/**
 * Records what real editors say while somebody types into a chat: `node test/editors/record.ts [--editor name]` writes
 * test/chat/recorded/*.jsonl, the rows of a test. Needs what run.ts needs.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { replay, type Step } from "../chat/recording.ts";
import { Unframer } from "../support/frames.ts";
import { chat } from "./chat-text.ts";
import { type EditorUnderTest, editors } from "./editors.ts";
import { inSession, type Session } from "./session.ts";
import { endAll } from "./terminal.ts";
import { script, Typist } from "./typist.ts";

const folder = join(import.meta.dirname, "../chat/recorded");
const ATTEMPTS = 5;

interface Message {
  id?: number | string;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of many kinds
  params?: any;
  result?: { applied?: unknown } | null;
}

/** All messages about FILE, as the tap saw them pass. */
function stepsOf(session: Session): Step[] {
  const sides = {
    said: { bytes: readFileSync(join(session.folder, "said")), at: 0, unframer: new Unframer() },
    heard: { bytes: readFileSync(join(session.folder, "heard")), at: 0, unframer: new Unframer() },
  };
  const steps: Step[] = [];
  const edits = new Set<number | string>();
  let client = "";
  for (const line of readFileSync(join(session.folder, "order"), "utf8").trim().split("\n")) {
    const [by, length] = line.split(" ") as ["said" | "heard", string];
    const side = sides[by];
    const chunk = side.bytes.subarray(side.at, side.at + Number(length));
    side.at += Number(length);
    for (const body of side.unframer.push(chunk)) {
      const { id, method, params, result } = JSON.parse(body.toString("utf8")) as Message;
      const isMine = params?.textDocument && fileURLToPath(params.textDocument.uri) === session.file;
      if (method === "initialize") client = params.clientInfo.name;
      if (by === "heard" && method === "workspace/applyEdit" && id !== undefined) {
        edits.add(id);
        steps.push({ sent: params.edit.documentChanges[0].edits });
      } else if (by === "said" && method === undefined && id !== undefined && edits.delete(id))
        steps.push({ replied: result?.applied === true });
      else if (method === "textDocument/didOpen" && isMine) {
        const { text, version } = params.textDocument;
        steps.push({ opened: { client, text, version } });
      } else if (method === "textDocument/didChange" && isMine)
        steps.push({ changed: { version: params.textDocument.version, changes: params.contentChanges } });
    }
  }
  return steps;
}

/** The person types below, and above when IS_ABOVE. */
async function record(editor: EditorUnderTest, isAbove: boolean, seed: number): Promise<Step[]> {
  const { prompt } = script(seed, 4, 60);
  let steps: Step[] = [];
  await inSession(editor, chat(prompt), async (session) => {
    await session.send();
    const typist = new Typist(session.terminal, seed);
    for (let part = 0; part < 2; part++) {
      await typist.keys(12);
      if (isAbove) await session.keys(editor.keys.lineAbove ?? []);
    }
    await session.hasSettled();
    await session.save("pi session:");
    steps = stepsOf(session);
  });
  return steps;
}

const { values } = parseArgs({ options: { editor: { type: "string" } } });
mkdirSync(folder, { recursive: true });
process.on("exit", endAll);
for (const editor of editors.filter(({ name }) => values.editor === undefined || name === values.editor))
  for (const isAbove of [false, true]) {
    // There eglot says that it has made edits which it has not made: what is sent again the replay does not know.
    if (isAbove && editor.name === "emacs-30.2-default") continue;
    const name = `${editor.name}${isAbove ? "-above" : ""}`;
    let isKept = false;
    for (let attempt = 1; attempt <= ATTEMPTS && !isKept; attempt++) {
      const steps = await record(editor, isAbove, 20 + attempt);
      const wanted = steps.flatMap((step) => ("sent" in step ? [step.sent] : []));
      // The tap may see an edit after a change that the server had not read when it sent it: such a recording is no row.
      isKept = isDeepStrictEqual(replay(steps).sent, wanted);
      if (isKept)
        writeFileSync(join(folder, `${name}.jsonl`), steps.map((step) => `${JSON.stringify(step)}\n`).join(""));
    }
    console.log(`${isKept ? "kept" : "none of them can be replayed"}: ${name}`);
    if (!isKept) process.exitCode = 1;
  }
