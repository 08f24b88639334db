import * as z from "zod";
import { checked } from "../bridge/validate.ts";
import { once } from "../protocol/once.ts";

const place = once(() => z.looseObject({ line: z.int().min(0), character: z.int().min(0) }));
const inDocument = once(() => z.looseObject({ textDocument: z.looseObject({ uri: z.string() }) }));
const atPosition = once(() => inDocument().extend({ position: place() }));
const inRange = once(() => inDocument().extend({ range: z.looseObject({ start: place(), end: place() }) }));

const AT_POSITION = ["textDocument/completion", "textDocument/hover"];
const IN_RANGE = ["textDocument/codeAction"];

/**
 * What the handlers of requests about a document rely on. An editor has its own code for that; a script may get it wrong.
 * @throws the error answer that names what is missing
 */
export function checkDocumentParams(method: string, params: unknown): void {
  if (!method.startsWith("textDocument/")) return;
  const schema = AT_POSITION.includes(method) ? atPosition() : IN_RANGE.includes(method) ? inRange() : inDocument();
  checked(schema, params ?? {}, method);
}
