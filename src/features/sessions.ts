import type { Entries } from "../bridge/entries.ts";
import { historyPage, messageCount } from "../bridge/history.ts";
import type { OptIn } from "../bridge/opt-in.ts";
import { byName } from "../bridge/params.ts";
import { withReferences } from "../bridge/references.ts";
import { resume } from "../bridge/resume.ts";
import type { Sessions } from "../bridge/sessions.ts";
import { fromTreeCursor, treePage } from "../bridge/tree.ts";
import { checked } from "../bridge/validate.ts";
import { wellFormed } from "../bridge/well-formed.ts";
import { cancelledError, responseError } from "../editor/connection.ts";
import { RawJson } from "../editor/raw.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { HISTORY_LIMIT, TREE_LIMIT } from "../protocol/bridge/conversation.ts";
import { type BridgeParams, type BridgeRequestName, type BridgeResult, bridgeMethods } from "../protocol/bridge.ts";
import { codes } from "../protocol/errors.ts";
import type { BridgeState } from "../protocol/state.ts";
import type { Feature } from "./feature.ts";

export interface SessionsContext {
  pi: Supervisor;
  sessions: Sessions;
  entries: Entries;
  optIn: OptIn;
  state(): BridgeState;
}

/** pi's stored sessions, and the conversation of the open one. */
export function sessionsFeature({ pi, sessions, entries, optIn, state }: SessionsContext): Feature {
  return {
    requests: {
      "bridge/list_sessions": (params) => sessions.list(check("bridge/list_sessions", params)),
      "bridge/resume": async (params, { token }) => {
        const session = await sessions.find(check("bridge/resume", params));
        if (token.isCancellationRequested) throw cancelledError();
        await resume(pi, session, () => sessions.isCurrent(session.file));
        return state();
      },
      "bridge/tree": (params) => tree(entries, check("bridge/tree", params)),
      "bridge/history": (params) => history(entries, check("bridge/history", params), optIn),
    },
  };
}

function check<N extends BridgeRequestName>(method: N, params: unknown): BridgeParams<N> {
  return checked(bridgeMethods.requests[method].params(), byName(params), method) as BridgeParams<N>;
}

async function tree(entries: Entries, params: BridgeParams<"bridge/tree">): Promise<BridgeResult<"bridge/tree">> {
  const { limit = TREE_LIMIT, cursor } = params;
  const position = cursor === undefined ? undefined : fromTreeCursor(cursor);
  if (cursor !== undefined && !position) throw wrong("bridge/tree", "cursor", "it is not one of mine");
  const snapshot = await entries.current();
  const { sessionId, leafId } = snapshot;
  if (position && (position.sessionId !== sessionId || position.end > snapshot.entries.length))
    throw wrong("bridge/tree", "cursor", "another session is open since; ask again without it");
  return treePage(snapshot, position ?? { sessionId, at: 0, end: snapshot.entries.length, leafId }, limit);
}

async function history(entries: Entries, params: BridgeParams<"bridge/history">, optIn: OptIn): Promise<RawJson> {
  const { before, limit = HISTORY_LIMIT } = params;
  if (before === undefined) {
    const { byId, leafId } = await entries.current();
    return encoded(historyPage(byId, leafId, limit), optIn, messageCount(byId, leafId));
  }
  // What is above an entry never changes: pi need not be asked.
  const byId = entries.cached?.has(before) ? entries.cached : (await entries.current()).byId;
  const entry = byId.get(before);
  if (!entry) throw wrong("bridge/history", "before", `the open session has no entry ${JSON.stringify(before)}`);
  return encoded(historyPage(byId, entry.parentId, limit), optIn);
}

function encoded({ items, before }: ReturnType<typeof historyPage>, optIn: OptIn, total?: number): RawJson {
  const shown = items.map((item) => forEditor(item, optIn));
  const rest = JSON.stringify({ ...(before !== undefined && { before }), ...(total !== undefined && { total }) });
  const parts = shown.flatMap((item, at) => (at === 0 ? [item] : [COMMA, item]));
  return new RawJson(Buffer.concat([OPEN, ...parts, Buffer.from(rest === "{}" ? "]}" : `],${rest.slice(1)}`)]));
}

const OPEN = Buffer.from('{"messages":[');
const COMMA = Buffer.from(",");

function wrong(method: string, key: string, message: string) {
  const issues = [{ path: [key], message: `${key}: ${message}` }];
  return responseError(codes.InvalidParams, `${method}: ${key}: ${message}`, { kind: "invalid_params", issues });
}

/** A message as the editor has asked for its records: as it is, unless it wants them smaller. */
function forEditor(message: Buffer, { referenceAbove, coalesceMs }: OptIn): Buffer {
  const small = referenceAbove === undefined ? message : withReferences(message, referenceAbove);
  return coalesceMs === undefined ? small : wellFormed(small);
}
