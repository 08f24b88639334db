import type { CancellationToken } from "vscode-jsonrpc";
import { ResponseError } from "vscode-jsonrpc/node";
import type { EditorConnection } from "../editor/connection.ts";
import { codes } from "../protocol/codes.ts";

const INFO = 3;

/** `window/showMessageRequest`: a question with a few answers, for an editor with nothing better. */
export class MessageRequests {
  /** The editor has said that it knows no such thing. */
  isUnsupported = false;
  private readonly editor: EditorConnection;

  constructor(editor: EditorConnection) {
    this.editor = editor;
  }

  /**
   * @param titles the safe one first: in several editors a stray Enter takes the first
   * @returns one of TITLES; undefined for whatever is not, which is no answer. Pending while the editor says nothing
   */
  async ask(message: string, titles: readonly string[], token: CancellationToken): Promise<string | undefined> {
    const params = { type: INFO, message, actions: titles.map((title) => ({ title })) };
    try {
      const reply = (await this.editor.request("window/showMessageRequest", params, token)) as {
        title?: unknown;
      } | null;
      const title = reply?.title;
      return titles.find((one) => one === title);
    } catch (error) {
      if (error instanceof ResponseError && error.code === codes.MethodNotFound) this.isUnsupported = true;
      return undefined;
    }
  }
}
