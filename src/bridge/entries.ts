import { setImmediate as turn } from "node:timers/promises";
import { PiError } from "../pi/error.ts";
import { elements, members } from "../pi/members.ts";
import type { Supervisor } from "../pi/supervisor.ts";

/** An entry of pi's session. */
export interface Entry {
  id: string;
  parentId: string | null;
  type: string;
  /** The whole entry, as pi wrote it. */
  bytes: Buffer;
}

/** A session at one moment. Entries are only ever appended, so that an earlier moment is a beginning of a later one. */
export interface Snapshot {
  sessionId: string;
  entries: readonly Entry[];
  byId: ReadonlyMap<string, Entry>;
  leafId: string | null;
}

interface Known {
  sessionId: string;
  entries: Entry[];
  byId: Map<string, Entry>;
}

/** Thousands of entries are decoded in between other things. */
const SLICE_MS = 8;
/** How long nobody has to ask until the memory is given back: a session may be large. */
const IDLE_MS = 120_000;

/** The entries of pi's session. pi is asked for all of them once, and then for what is new. */
export class Entries {
  private readonly pi: Supervisor;
  private known: Known | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;

  constructor(pi: Supervisor) {
    this.pi = pi;
  }

  /** What is known already, without asking pi. */
  get cached(): ReadonlyMap<string, Entry> | undefined {
    return this.known?.byId;
  }

  /** The session as it is now. */
  current(): Promise<Snapshot> {
    this.idle ??= setTimeout(() => {
      this.known = undefined;
    }, IDLE_MS).unref();
    this.idle.refresh();
    // One after the other: what is new is new only once.
    const snapshot = this.last.then(() => this.ask());
    this.last = snapshot.catch(() => {});
    return snapshot;
  }

  private async ask(): Promise<Snapshot> {
    const since = this.known?.entries.at(-1)?.id;
    // The ids of entries do not tell sessions apart: a fork has those of its origin.
    const state = this.pi.call("get_state", {}).answer;
    const answer = this.pi.call("get_entries", since === undefined ? {} : { since }).answer;
    const [session, data] = await Promise.allSettled([state, answer]);
    if (session.status === "rejected") throw session.reason;
    if (data.status === "rejected") {
      if (since === undefined || !isRefused(data.reason)) throw data.reason;
      return this.askAnew();
    }
    const { sessionId } = JSON.parse(session.value?.toString("utf8") ?? "{}") as { sessionId: string };
    if (this.known && this.known.sessionId !== sessionId) return this.askAnew();
    this.known ??= { sessionId, entries: [], byId: new Map() };
    const leafId = await append(this.known, data.value ?? Buffer.from("{}"));
    if (since !== undefined && leafId !== null && !this.known.byId.has(leafId)) return this.askAnew();
    const { entries, byId } = this.known;
    return { sessionId, entries: entries.slice(), byId, leafId };
  }

  private askAnew(): Promise<Snapshot> {
    this.known = undefined;
    return this.ask();
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof PiError && error.data.kind === "rejected";
}

/** Adds what pi has answered, and says which entry is the leaf. */
async function append({ entries, byId }: Known, data: Buffer): Promise<string | null> {
  const spans = members(data);
  const list = spans.get("entries");
  let sliceStart = performance.now();
  for (const span of list ? elements(data, list) : []) {
    const bytes = data.subarray(...span);
    const { id, parentId, type } = JSON.parse(bytes.toString("utf8")) as { [K in "id" | "parentId" | "type"]: unknown };
    const entry: Entry = {
      id: String(id),
      parentId: typeof parentId === "string" ? parentId : null,
      type: String(type),
      bytes,
    };
    entries.push(entry);
    byId.set(entry.id, entry);
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await turn();
    sliceStart = performance.now();
  }
  const leaf = spans.get("leafId");
  const leafId: unknown = leaf ? JSON.parse(data.toString("utf8", ...leaf)) : null;
  return typeof leafId === "string" ? leafId : null;
}

/** The entries from the one with LEAFID up to the root. */
export function* upwards(byId: ReadonlyMap<string, Entry>, leafId: string | null): Generator<Entry, void, void> {
  // A file that somebody has edited may have a circle in it.
  const seen = new Set<string>();
  for (let id = leafId; id !== null && !seen.has(id); ) {
    const entry = byId.get(id);
    if (!entry) return;
    seen.add(id);
    yield entry;
    id = entry.parentId;
  }
}
