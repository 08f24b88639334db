import { isUtf8 } from "node:buffer";
import type { Message } from "vscode-jsonrpc";
import { codes } from "../protocol/errors.ts";

/** What one message body turned out to be: a message to dispatch, or a fault to answer or to note. */
export type Inbound =
  | { is: "message"; message: Message }
  | { is: "fault"; code: number; text: string; id: number | string | null }
  /** A broken notification or response: nobody waits for an answer to it. */
  | { is: "ignored"; text: string };

const fault = (code: number, text: string, id: number | string | null = null): Inbound => ({
  is: "fault",
  code,
  text,
  id,
});

/**
 * Reads one JSON-RPC message, strictly: what vscode-jsonrpc would drop, confuse or throw at is answered here.
 * `open` holds the ids of the requests that wait for their answer, by their text: vscode-jsonrpc keeps 1 and "1" in one
 * slot. `asked` holds those of the requests to the editor: what comes for one of them is its answer, however broken.
 */
export function readMessage(
  body: Buffer,
  { open, asked }: { open: ReadonlyMap<string, number | string>; asked: ReadonlyMap<string, unknown> },
): Inbound {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    return fault(codes.ParseError, `The message body is not JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(value))
    return fault(codes.InvalidRequest, "Batches are not supported: send each message in a frame of its own.");
  if (typeof value !== "object" || value === null)
    return fault(codes.InvalidRequest, `A message must be a JSON object, got ${JSON.stringify(value).slice(0, 80)}.`);

  const message = value as { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown; error?: unknown };
  const id = typeof message.id === "string" || typeof message.id === "number" ? message.id : null;
  const isRequest = "id" in message && "method" in message;
  if (!isUtf8(body)) {
    const text = "The message body is not valid UTF-8.";
    if (isRequest) return fault(codes.ParseError, text, id);
    return "method" in message ? { is: "ignored", text } : brokenAnswer(id, text, open, asked);
  }
  if (!("method" in message)) {
    if (id !== null && ("result" in message || "error" in message)) return { is: "message", message: value as Message };
    if ("result" in message || "error" in message) return { is: "ignored", text: "A response without a usable id." };
    return brokenAnswer(id, "The message has no method, and is no response either.", open, asked);
  }
  if (typeof message.method !== "string")
    return fault(codes.InvalidRequest, `The method must be a string, got ${JSON.stringify(message.method)}.`, id);
  if (message.jsonrpc !== "2.0")
    return isRequest
      ? fault(codes.InvalidRequest, `jsonrpc must be "2.0", got ${JSON.stringify(message.jsonrpc)}.`, id)
      : { is: "ignored", text: `Notification ${message.method}: jsonrpc must be "2.0".` };
  if (message.params !== undefined && (typeof message.params !== "object" || message.params === null)) {
    if (message.params !== null)
      return isRequest
        ? fault(codes.InvalidRequest, `${message.method}: params must be an object or an array.`, id)
        : { is: "ignored", text: `Notification ${message.method}: params must be an object or an array.` };
    delete message.params;
  }
  if (!isRequest) return readNotification(message.method, message.params, value as Message);
  if (id === null || (typeof id === "number" && !Number.isInteger(id)))
    return fault(codes.InvalidRequest, `${message.method}: the id must be a string or an integer.`, id);
  // It has been rounded when it was read: no answer could carry it.
  if (typeof id === "number" && !Number.isSafeInteger(id))
    return fault(codes.InvalidRequest, `${message.method}: the id is larger than 2^53 − 1. Send it as a string.`);
  const other = open.get(String(id));
  if (other !== undefined) {
    const text = `${message.method}: a request with the id ${JSON.stringify(other)} is still open.`;
    // 1 and "1" are two ids to the editor, and each has its own answer; of two that are the same, none must get two.
    return fault(codes.InvalidRequest, text, other === id ? null : id);
  }
  return { is: "message", message: value as Message };
}

/** What is neither request nor response: no answer at all when it is meant for one of our own requests. */
function brokenAnswer(
  id: number | string | null,
  text: string,
  open: ReadonlyMap<string, unknown>,
  asked: ReadonlyMap<string, unknown>,
): Inbound {
  if (id === null || !asked.has(String(id)))
    return fault(codes.InvalidRequest, text, id !== null && open.has(String(id)) ? null : id);
  const error = { code: codes.InvalidRequest, message: text };
  return { is: "message", message: { jsonrpc: "2.0", id, error } as Message };
}

function readNotification(method: string, params: unknown, message: Message): Inbound {
  if (method !== "$/cancelRequest") return { is: "message", message };
  const id = (params as { id?: unknown } | undefined)?.id;
  if (typeof id === "string" || typeof id === "number") return { is: "message", message };
  return { is: "ignored", text: "$/cancelRequest without the id of a request." };
}
