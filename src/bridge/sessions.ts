import { existsSync, type Stats, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { expandHome } from "../pi/agent-dir.ts";
import { elsewhere } from "../pi/elsewhere.ts";
import { PiError } from "../pi/error.ts";
import { cacheFolder } from "../pi/sessions/cache-folder.ts";
import { fromCursor, toCursor } from "../pi/sessions/cursor.ts";
import type { Header } from "../pi/sessions/digest.ts";
import { readOpening } from "../pi/sessions/reading.ts";
import { real, type Scope, sessionScope } from "../pi/sessions/scope.ts";
import { SessionIndex } from "../pi/sessions/session-index.ts";
import { type ListedSession, SessionList } from "../pi/sessions/session-list.ts";
import { wordsOf } from "../pi/sessions/words.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { LIST_LIMIT } from "../protocol/bridge/sessions.ts";
import type { BridgeParams, BridgeRequestName, BridgeResult } from "../protocol/bridge.ts";

type Page = BridgeResult<"bridge/list_sessions">;

/** A session file that there is. */
export interface StoredSession {
  /** Without symbolic links. */
  file: string;
  header: Header;
}

/** pi's stored sessions, as far as they are on this machine. */
export class Sessions {
  private readonly pi: Supervisor;
  private readonly baseEnv: NodeJS.ProcessEnv;
  private readonly index: SessionIndex;
  private readonly stored: SessionList;

  constructor(pi: Supervisor, baseEnv: NodeJS.ProcessEnv, log: (text: string) => void) {
    this.pi = pi;
    this.baseEnv = baseEnv;
    this.index = new SessionIndex(cacheFolder(baseEnv), log);
    this.stored = new SessionList(this.index);
  }

  async list(params: BridgeParams<"bridge/list_sessions">): Promise<Page> {
    const method = "bridge/list_sessions";
    this.refuseElsewhere(method);
    const { cwd, all = false, query, limit = LIST_LIMIT, cursor } = params;
    if (all && cwd !== undefined) throw wrong(method, "all", "give either cwd or all");
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    if (cursor !== undefined && !after) throw wrong(method, "cursor", `the cursor ${shown(cursor)} is not one of mine`);
    const { sessions, next, indexed, skipped } = await this.stored.page({
      scope: all ? this.scope("all") : this.scope({ cwd: this.path(cwd ?? ".") }),
      query: query !== undefined && wordsOf(query).length > 0 ? query : undefined,
      limit,
      after,
    });
    return {
      sessions: sessions.map((session) => this.describe(session)),
      ...(next && { cursor: toCursor(next) }),
      indexed,
      skipped,
    };
  }

  /**
   * The session that `bridge/resume` means.
   * @throws PiError `invalid_params` when there is none, or more than one
   */
  async find({ id, file }: BridgeParams<"bridge/resume">): Promise<StoredSession> {
    this.refuseElsewhere("bridge/resume");
    return file === undefined ? this.findById(id ?? "") : this.findByFile(this.path(file));
  }

  /** Whether pi has the session open. */
  isCurrent(file: string): boolean {
    const current = this.pi.status.session?.file;
    return current !== undefined && basename(current) === basename(file) && real(current) === real(file);
  }

  /** Ends the work in the background. */
  stop(): Promise<void> {
    return this.index.stop();
  }

  private async findById(id: string): Promise<StoredSession> {
    // As pi does: those of its working directory first.
    for (const scope of [this.scope({ cwd: this.pi.settings.cwd }), this.scope("all")]) {
      const found = await this.stored.withId(id, scope);
      const [first] = found;
      if (!first) continue;
      if (found.length === 1) return { file: real(first.file.path), header: first.digest.header };
      const some = found.slice(0, 5).map(({ file, digest }) => `${digest.header.id} (${file.path})`);
      const rest = found.length > some.length ? ` and ${found.length - some.length} more` : "";
      const message = `${shown(id)} is the beginning of several ids: ${some.join(", ")}${rest}. Give more of it, or the file`;
      throw wrong("bridge/resume", "id", message);
    }
    const message = `there is no session with the id ${shown(id)}. bridge/list_sessions {all: true} lists those that there are`;
    throw wrong("bridge/resume", "id", message);
  }

  private async findByFile(path: string): Promise<StoredSession> {
    const unreadable = (error: Error) => wrong("bridge/resume", "file", `${path} cannot be read: ${error.message}`);
    let stats: Stats | undefined;
    try {
      stats = statSync(path, { throwIfNoEntry: false });
    } catch (error) {
      throw unreadable(error as Error);
    }
    if (!stats) throw wrong("bridge/resume", "file", `the session file ${path} does not exist`);
    if (!stats.isFile()) throw wrong("bridge/resume", "file", `${path} is not a file`);
    const file = { folder: dirname(path), name: basename(path), path, size: stats.size, modified: stats.mtimeMs };
    const digest = await readOpening(file, "header").catch((error: Error) => {
      throw unreadable(error);
    });
    if (digest) return { file: real(path), header: digest.header };
    throw wrong("bridge/resume", "file", `${path} is no session of pi: it does not begin with a session's header`);
  }

  private describe({ file, digest, isComplete }: ListedSession): Page["sessions"][number] {
    const { header, name, messageCount, firstMessage, lastMessage } = digest;
    const modified = new Date(file.modified).toISOString();
    return {
      id: header.id,
      file: file.path,
      ...(name !== undefined && { name }),
      cwd: header.cwd,
      created: header.created === "" ? modified : header.created,
      modified,
      ...(isComplete && { messageCount }),
      firstMessage,
      ...(isComplete && lastMessage !== undefined && { lastMessage }),
      ...(header.parent !== undefined && { parent: header.parent }),
      current: this.isCurrent(file.path),
    };
  }

  private scope(which: { cwd: string } | "all"): Scope {
    return sessionScope(which, this.pi.settings, this.env);
  }

  private path(path: string): string {
    return resolve(this.pi.settings.cwd, expandHome(path, this.env));
  }

  private get env(): NodeJS.ProcessEnv {
    return { ...this.baseEnv, ...this.pi.settings.env };
  }

  /** The sessions of another machine must not be mistaken for the ones here. */
  private refuseElsewhere(method: BridgeRequestName): void {
    const sign = elsewhere(this.pi.settings);
    const file = this.pi.status.session?.file;
    // pi makes the folder when it starts.
    const isMissing = file !== undefined && !existsSync(dirname(file));
    if (sign === undefined && !isMissing) return;
    const why =
      sign === "remoteShell"
        ? "the option remoteShell says so"
        : sign !== undefined
          ? `its command has the word "${sign}"`
          : `its session file ${file} is in a folder that does not exist here`;
    throw new PiError(`${method}: pi runs elsewhere (${why}), and its sessions cannot be seen from here.`, {
      kind: "unsupported",
      method,
      hint: "Open a session by its path on that machine, with pi/switch_session, or list them with a pi that runs here.",
    });
  }
}

function wrong(method: string, key: string, message: string): PiError {
  return new PiError(`${method}: ${message}.`, { kind: "invalid_params", issues: [{ path: [key], message }] });
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
