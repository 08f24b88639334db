import { isUtf8 } from "node:buffer";
import { members, valueEnd } from "./members.ts";

/** One line of pi's stdout, told apart by as few bytes as possible. `line` is the whole record, verbatim. */
export type PiRecord =
  | { is: "event"; type: string; line: Buffer }
  | { is: "ui"; method: string; line: Buffer }
  | { is: "response"; id: string | undefined; command: string; data: Buffer | undefined }
  | { is: "failure"; id: string | undefined; command: string; error: string }
  /** Not a record of pi's: a wrapper, a shell profile or a stray print wrote it. */
  | { is: "foreign"; line: Buffer };

const BRACE = 0x7b;
const BRACE_END = 0x7d;
const COMMA = 0x2c;
const TYPE_FIRST = '{"type":"';

// pi writes the members in this order today (an object literal's); any other order takes the slow path below.
const UI_HEAD = /^\{"type":"extension_ui_request","id":"[^"\\]*","method":"([A-Za-z_]+)"[,}]/;
const RESPONSE_HEAD =
  /^\{(?:"id":"([^"\\]*)",)?"type":"response","command":"([^"\\]*)","success":true(?:,"data":(?=[^\s,}])|(\}$))/;
const HEAD_BYTES = 256;

/** Reads what routing needs from a line; the rest of it is neither decoded nor checked. */
export function readRecord(line: Buffer): PiRecord {
  if (line[0] !== BRACE || line[line.length - 1] !== BRACE_END || !isUtf8(line)) return readSlowly(line);
  const type = leadingType(line);
  if (type === undefined || type === "response") return readResponse(line) ?? readSlowly(line);
  if (type !== "extension_ui_request") return { is: "event", type, line };
  const method = UI_HEAD.exec(line.toString("latin1", 0, HEAD_BYTES))?.[1];
  return method ? { is: "ui", method, line } : readSlowly(line);
}

/** The whole record, decoded; undefined when the line only looked like one. */
export function parseRecord(line: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** What the last event began with. In a stream the next one is of the same type, and nothing needs to be decoded. */
let last = { type: "message_update", head: Buffer.from(`${TYPE_FIRST}message_update"`) };

/** The type, when it is the first member and a plain word. */
function leadingType(line: Buffer): string | undefined {
  if (!beginsWith(line, last.head)) {
    const start = TYPE_FIRST.length;
    let end = start;
    while (isWordByte(line[end])) end++;
    const head = line.subarray(0, end + 1);
    const type = line.toString("latin1", start, end);
    if (type === "" || head.toString("latin1") !== `${TYPE_FIRST}${type}"`) return undefined;
    last = { type, head: Buffer.from(head) };
  }
  const next = line[last.head.length];
  return next === COMMA || next === BRACE_END ? last.type : undefined;
}

function beginsWith(line: Buffer, head: Buffer): boolean {
  for (let at = 0; at < head.length; at++) if (line[at] !== head[at]) return false;
  return true;
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || (byte >= 0x30 && byte <= 0x39));
}

/** A successful response in pi's own member order: the data is all that stands between `"data":` and the last brace. */
function readResponse(line: Buffer): PiRecord | undefined {
  const head = RESPONSE_HEAD.exec(line.toString("latin1", 0, HEAD_BYTES));
  if (!head) return undefined;
  const [text, id, command = "", noData] = head;
  if (noData !== undefined) return { is: "response", id, command, data: undefined };
  return isWhole(line, text.length) ? { is: "response", id, command, data: line.subarray(text.length, -1) } : undefined;
}

/** Whether one value begins at `start` and ends before the last brace: a newer pi may put members behind the data. */
function isWhole(line: Buffer, start: number): boolean {
  try {
    return valueEnd(line, start) === line.length - 1;
  } catch {
    return false;
  }
}

/** The always-correct way: any member order, any white space. */
function readSlowly(line: Buffer): PiRecord {
  const foreign: PiRecord = { is: "foreign", line };
  if (!isUtf8(line)) return foreign;
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return foreign;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return foreign;
  const { type, id, command, success, error, method } = value as Record<string, unknown>;
  if (typeof type !== "string") return foreign;
  if (type === "extension_ui_request") return typeof method === "string" ? { is: "ui", method, line } : foreign;
  if (type !== "response") return { is: "event", type, line };
  const name = typeof command === "string" ? command : "";
  const key = typeof id === "string" ? id : undefined;
  if (success !== true) return { is: "failure", id: key, command: name, error: failureText(error) };
  const data = members(line).get("data");
  return { is: "response", id: key, command: name, data: data && line.subarray(data[0], data[1]) };
}

function failureText(error: unknown): string {
  if (typeof error === "string" && error !== "") return error;
  return error === undefined ? "pi gave no reason" : JSON.stringify(error);
}
