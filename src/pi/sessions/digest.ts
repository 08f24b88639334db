import type { FileLine } from "./file-lines.ts";
import { contentText, preview } from "./preview.ts";
import type { Words } from "./words.ts";

/** The first line of a session file. */
export interface Header {
  id: string;
  /** Empty in a session of an old pi. */
  cwd: string;
  /** ISO 8601. */
  created: string;
  /** The session file that it was forked from. */
  parent?: string;
}

/** What there is to say of a session, gathered from its lines. */
export interface Digest {
  header: Header;
  /** Absent when it never had one, or it was taken away. */
  name?: string;
  /** Entries of the type `message`, as pi counts them. */
  messageCount: number;
  /** On one line; empty while the person has said nothing. */
  firstMessage: string;
  lastMessage?: string;
}

const BRACE_END = 0x7d;
const PREVIEW = 200;
/** As pi: a file that has no header in its first MiB is no session. */
const HEADER_WITHIN = 1024 * 1024;

// pi writes the members in this order; a line in another order is parsed.
const HEAD =
  /^\{"type":"(\w+)"(?:,"id":"[^"\\]*","parentId":(?:null|"[^"\\]*"),"timestamp":"[^"\\]*","message":\{"role":"(\w+)")?/;
const HEAD_BYTES = 300;
const CUT_TEXT = /"(?:text|content)":"((?:[^"\\]|\\.)*)/;

/** Folds the lines of a session file, from the first on, into its digest. `broken` when it is no session. */
export class DigestFold {
  digest: Digest | undefined;
  broken = false;
  private readonly words: Words | undefined;

  /** DIGEST is that of the lines before. The words of the messages go to WORDS. */
  constructor(digest?: Digest, words?: Words) {
    this.digest = digest && { ...digest };
    this.words = words;
  }

  line({ bytes, isCut, end }: FileLine): void {
    const [, type, role] = HEAD.exec(bytes.toString("latin1", 0, HEAD_BYTES)) ?? [];
    if (this.digest && type !== undefined && !isTold(type, role)) {
      if (type === "message" && (isCut || bytes[bytes.length - 1] === BRACE_END)) this.digest.messageCount += 1;
      return;
    }
    const record = isCut ? cutRecord(bytes, role) : parse(bytes);
    if (record) this.record(record);
    if (!this.digest && end > HEADER_WITHIN) this.broken = true;
  }

  private record(record: Record<string, unknown>): void {
    const { digest } = this;
    if (!digest) this.begin(record);
    else if (record.type === "session_info") {
      delete digest.name;
      const name = typeof record.name === "string" ? record.name.trim() : "";
      if (name !== "") digest.name = name;
    } else if (record.type === "message") {
      digest.messageCount += 1;
      this.message(digest, Object(record.message));
    }
  }

  private begin({ type, id, cwd, timestamp, parentSession }: Record<string, unknown>): void {
    if (type !== "session" || typeof id !== "string") {
      this.broken = true;
      return;
    }
    const header: Header = {
      id,
      cwd: typeof cwd === "string" ? cwd : "",
      created: typeof timestamp === "string" ? timestamp : "",
      ...(typeof parentSession === "string" && { parent: parentSession }),
    };
    this.digest = { header, messageCount: 0, firstMessage: "" };
  }

  private message(digest: Digest, { role, content }: { role?: unknown; content?: unknown }): void {
    if (role !== "user" && role !== "assistant") return;
    const text = contentText(content);
    const line = preview(text, PREVIEW);
    if (line === "") return;
    if (role === "user" && digest.firstMessage === "") digest.firstMessage = line;
    digest.lastMessage = line;
    this.words?.add(text);
  }
}

/** Whether the digest tells of what such a line says; of all others only that they are there. */
function isTold(type: string, role: string | undefined): boolean {
  if (type === "message") return role === undefined || role === "user" || role === "assistant";
  return type === "session_info";
}

/** Whether what comes after the last LF is a record all the same: not every program ends its last line. */
export function isWhole({ bytes, isCut }: FileLine): boolean {
  return !isCut && parse(bytes) !== undefined;
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A message that is too long to be held: its text as far as it stands at the beginning. */
function cutRecord(bytes: Buffer, role: string | undefined): Record<string, unknown> | undefined {
  if (role === undefined) return undefined;
  const [, escaped = ""] = CUT_TEXT.exec(bytes.toString("utf8")) ?? [];
  return { type: "message", message: { role, content: unescaped(escaped) } };
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return "";
  }
}
