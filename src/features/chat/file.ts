import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CancellationToken } from "vscode-jsonrpc/node";
import type { Position } from "vscode-languageserver-protocol";
import type { EditorConnection } from "../../editor/connection.ts";
import { home } from "../../pi/agent-dir.ts";
import { newChat } from "./layout.ts";

/** Where programs of this system keep what they have to remember. */
export function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const name = "pi-language-server";
  if (env.XDG_STATE_HOME?.startsWith("/")) return join(env.XDG_STATE_HOME, name);
  if (platform === "darwin") return join(home(env), "Library", "Application Support", name);
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home(env), "AppData", "Local"), name, "State");
  return join(home(env), ".local", "state", name);
}

/** The chat that is opened when none is: a file of its own for each bridge. */
export class ChatFile {
  private readonly env: NodeJS.ProcessEnv;
  private path: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env;
  }

  /**
   * Makes the file, if it is not there.
   * @param isProjectBound it must be in the project, or the editor would not bring it to this server
   * @returns its path
   */
  make(cwd: string, isProjectBound: boolean): string {
    if (this.path === undefined) {
      const folder = isProjectBound ? join(cwd, ".pi", "chats") : join(stateFolder(this.env), "chats");
      const project = basename(cwd) || "chat";
      const time = new Date().toISOString().slice(0, 16).replace("T", "-").replace(":", "");
      if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined && isProjectBound)
        // No part of the project: nobody commits it without meaning to.
        writeFileSync(join(folder, ".gitignore"), "*\n");
      for (let count = 1; ; count++) {
        this.path = join(folder, `${project}-${time}${count === 1 ? "" : `-${count}`}.pi.md`);
        if (!existsSync(this.path)) break;
      }
    }
    // An editor that shows a file which is not there shows an empty one, or none.
    if (!existsSync(this.path)) writeFileSync(this.path, newChat(`pi: ${basename(cwd)}`), { mode: 0o600 });
    return this.path;
  }
}

/** Some editors never answer a request that they do not know. */
const SILENCE_MS = 3000;

/** Asks the editor to show a file, with the cursor AT. @returns whether it says that it does */
export async function showDocument(editor: EditorConnection, uri: string, at?: Position): Promise<boolean> {
  const selection = at && { start: at, end: at };
  const params = { uri, external: false, takeFocus: true, ...(selection && { selection }) };
  const { promise: silence, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), SILENCE_MS).unref();
  const reply = editor.request("window/showDocument", params, CancellationToken.None).catch(() => null);
  const first = await Promise.race([reply, silence]);
  clearTimeout(timer);
  return (Object(first) as { success?: unknown }).success === true;
}
