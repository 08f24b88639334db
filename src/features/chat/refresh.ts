import { CancellationToken } from "vscode-jsonrpc/node";
import type { EditorConnection } from "../../editor/connection.ts";
import type { Client } from "./client.ts";

/** A hint that is asked for more often tells nobody more. */
const REFRESH_MS = 500;

/** Has the editor ask again for what shows the state, when that has changed. */
export class Refresh {
  private readonly editor: EditorConnection;
  private readonly client: Client;
  private readonly state: () => string | undefined;
  private shown: string | undefined = "";
  private timer: NodeJS.Timeout | undefined;

  /** @param state all that is shown, as one text; undefined while nobody looks at it */
  constructor(editor: EditorConnection, client: Client, state: () => string | undefined) {
    this.editor = editor;
    this.client = client;
    this.state = state;
  }

  later(): void {
    if (this.timer || this.state() === undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const now = this.state();
      if (now === this.shown) return;
      this.shown = now;
      if (this.client.refreshesHints) this.send("workspace/inlayHint/refresh");
      if (this.client.refreshesLenses) this.send("workspace/codeLens/refresh");
    }, REFRESH_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private send(method: string): void {
    // Whatever the editor replies, there is nothing to do about it.
    this.editor.request(method, {}, CancellationToken.None).catch(() => {});
  }
}
