import type { Digest } from "./digest.ts";
import { type FoundFile, findFiles, newestFirst, type Place } from "./files.ts";
import { inParallel } from "./parallel.ts";
import { readOpening } from "./reading.ts";
import { real, type Scope } from "./scope.ts";
import type { Matcher, SessionIndex } from "./session-index.ts";

export interface ListRequest {
  scope: Scope;
  /** Words that all must be in the name or in the messages. */
  query?: string | undefined;
  limit: number;
  /** Only what comes after it in the order of the list. */
  after?: Place | undefined;
}

export interface ListedSession {
  file: FoundFile;
  digest: Digest;
  /** The digest goes to the end of the file: the counts and the last message are known. */
  isComplete: boolean;
}

export interface SessionPage {
  sessions: ListedSession[];
  /** There are, or may be, more. */
  next?: Place;
  /** All files are read: the search and every count are complete. */
  indexed: boolean;
  /** Files that are known to be no sessions, or could not be read. */
  skipped: number;
}

/** How long a search waits for messages that have not been read yet. */
const SEARCH_WAIT_MS = 600;
const LOAD_WAIT_MS = 300;
/** So much is read at once to complete what a page tells; longer sessions are completed in the background. */
const PAGE_BYTES = 16 * 1024 * 1024;
/** So many openings are read before it is looked whether the page is full. */
const BATCH = 32;

/** Lists session files, and looks for one of them. */
export class SessionList {
  private readonly index: SessionIndex;
  /** The openings of files that the index has not come to. Undefined: no session. */
  private readonly openings = new Map<string, Opening>();

  private readonly realPaths = new Map<string, string>();

  constructor(index: SessionIndex) {
    this.index = index;
  }

  page(request: ListRequest): Promise<SessionPage> {
    return this.index.answer(() => this.makePage(request));
  }

  private async makePage({ scope, query, limit, after }: ListRequest): Promise<SessionPage> {
    const files = await this.files(scope);
    this.index.cover(files);
    const matches = query === undefined ? undefined : await this.matcher(query, scope);
    const start = after ? files.findIndex((file) => newestFirst(file, after) > 0) : 0;
    const candidates = start === -1 ? [] : files.slice(start);
    const chosen: FoundFile[] = [];
    let at = 0;
    while (at < candidates.length && chosen.length < limit) {
      const batch = candidates.slice(at, at + BATCH);
      const until = scope.cwd === undefined ? "message" : "header";
      if (!matches) await inParallel(batch, (file) => this.opening(file, until));
      for (const file of batch) {
        if (chosen.length === limit) break;
        at += 1;
        if (this.belongs(file, scope, matches)) chosen.push(file);
      }
    }
    await this.index.readNow(chosen, PAGE_BYTES);
    await inParallel(chosen, (file) => this.opening(file, "message"));
    const sessions = chosen.flatMap((file) => this.listed(file) ?? []);
    const last = candidates[at - 1];
    return {
      sessions,
      ...(at < candidates.length && last && { next: last }),
      indexed: files.every((file) => this.index.of(file) || this.isForeign(file, scope)),
      skipped: files.filter((file) => this.isBroken(file)).length,
    };
  }

  /** The sessions whose id is ID, else those whose id begins with it. Only the headers are read. */
  async withId(id: string, scope: Scope): Promise<{ file: FoundFile; digest: Digest }[]> {
    const files = await this.files(scope);
    const found: { file: FoundFile; digest: Digest }[] = [];
    for (let at = 0; at < files.length; at += BATCH) {
      const batch = files.slice(at, at + BATCH);
      await inParallel(batch, (file) => this.opening(file, "header"));
      for (const file of batch) {
        const digest = this.digest(file);
        if (digest?.header.id.startsWith(id) && !this.isForeign(file, scope)) found.push({ file, digest });
      }
    }
    const exact = found.filter(({ digest }) => digest.header.id === id);
    return exact.length > 0 ? exact : found;
  }

  private async files(scope: Scope): Promise<FoundFile[]> {
    this.realPaths.clear();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LOAD_WAIT_MS).unref();
    const loaded = this.index.load(scope.folders);
    const files = await findFiles(scope.folders);
    await Promise.race([loaded, promise]);
    clearTimeout(timer);
    return files;
  }

  private async matcher(query: string, scope: Scope): Promise<Matcher> {
    await this.index.hurry(SEARCH_WAIT_MS);
    return this.index.matcher(query, scope.folders);
  }

  private belongs(file: FoundFile, scope: Scope, matches: Matcher | undefined): boolean {
    if (this.digest(file) === undefined || this.isForeign(file, scope)) return false;
    return matches?.(file) ?? matches === undefined;
  }

  /** Whether the file is known to be a session of another working directory than the scope's. */
  private isForeign(file: FoundFile, { cwd }: Scope): boolean {
    if (cwd === undefined) return false;
    const own = this.digest(file)?.header.cwd;
    return own !== undefined && own !== cwd && this.realPath(own) !== cwd;
  }

  /** A few folders have thousands of sessions. */
  private realPath(folder: string): string {
    let path = this.realPaths.get(folder);
    if (path === undefined) {
      path = folder === "" ? "" : real(folder);
      this.realPaths.set(folder, path);
    }
    return path;
  }

  private isBroken(file: FoundFile): boolean {
    const entry = this.index.of(file);
    if (entry) return entry.progress === undefined;
    const opening = this.openings.get(file.path);
    return opening !== undefined && isOf(opening, file) && opening.digest === undefined;
  }

  private digest(file: FoundFile): Digest | undefined {
    const entry = this.index.of(file);
    if (entry) return entry.progress?.digest;
    const opening = this.openings.get(file.path);
    return opening && isOf(opening, file) ? opening.digest : undefined;
  }

  private listed(file: FoundFile): ListedSession | undefined {
    const digest = this.digest(file);
    return digest && { file, digest, isComplete: this.index.of(file) !== undefined };
  }

  private async opening(file: FoundFile, until: "header" | "message"): Promise<void> {
    if (this.index.of(file)) {
      this.openings.delete(file.path);
      return;
    }
    const known = this.openings.get(file.path);
    if (known && isOf(known, file) && (known.until === until || known.until === "message" || !known.digest)) return;
    const digest = await readOpening(file, until).catch(() => undefined);
    this.openings.set(file.path, { size: file.size, modified: file.modified, until, digest });
  }
}

interface Opening {
  size: number;
  modified: number;
  until: "header" | "message";
  digest: Digest | undefined;
}

function isOf(opening: Opening, { size, modified }: FoundFile): boolean {
  return opening.size === size && opening.modified === modified;
}
