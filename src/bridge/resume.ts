import { statSync } from "node:fs";
import { PiError } from "../pi/error.ts";
import { launchIn } from "../pi/relaunch.ts";
import { real } from "../pi/sessions/scope.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import type { StoredSession } from "./sessions.ts";

/**
 * Has pi go on with SESSION, in the folder that the session belongs to. IS_CURRENT tells whether pi has it open.
 * @throws PiError; pi then has the session open that it had before
 */
export async function resume(pi: Supervisor, session: StoredSession, isCurrent: () => boolean): Promise<void> {
  const { file, header } = session;
  const isHere = header.cwd === "" || real(header.cwd) === real(pi.settings.cwd);
  if (!isHere && !isFolder(header.cwd)) throw folderMissing(session, pi);
  if (pi.running) {
    // What is known of its session may be old: an extension may have replaced it.
    await refreshed(pi);
    if (isCurrent()) return;
    if (isHere) return switchTo(pi, file);
    // So that the answer that is under way gets into its session before the process ends.
    if (pi.status.activity !== "idle") await pi.call("abort", {}).answer;
  }
  await pi.move(launchIn(pi.settings, isHere ? pi.settings.cwd : header.cwd), { id: header.id, file });
}

async function switchTo(pi: Supervisor, file: string): Promise<void> {
  const data = await pi.call("switch_session", { sessionPath: file }).answer;
  const { cancelled } = JSON.parse(data?.toString("utf8") ?? "{}") as { cancelled?: unknown };
  if (cancelled === true) {
    throw new PiError("An extension of pi has refused the switch: the session is the one that it was.", {
      kind: "rejected",
      command: "switch_session",
      hint: "bridge/list_sessions tells which one that is; the extension may have said why.",
    });
  }
  await refreshed(pi);
}

async function refreshed(pi: Supervisor): Promise<void> {
  const data = await pi.call("get_state", {}).answer;
  pi.status.apply(JSON.parse(data?.toString("utf8") ?? "{}"));
}

function folderMissing({ file, header }: StoredSession, pi: Supervisor): PiError {
  const message = `The session ${header.id} belongs to the folder ${header.cwd}, which does not exist. Nothing was changed.`;
  return new PiError(message, {
    kind: "unavailable",
    reason: "cwd_missing",
    hint: `Make the folder again, or take a copy of the conversation into another one: start pi there with --fork ${file}`,
    command: [...pi.settings.command],
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
