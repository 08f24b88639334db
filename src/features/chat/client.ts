import type { ClientCapabilities, TextEdit } from "vscode-languageserver-protocol";
import { type ClientManner, mannerOf } from "./clients.ts";

/** The editor: what it is, and what it says that it can do. */
export class Client {
  name = "";
  manner: ClientManner = mannerOf("");
  private capabilities: ClientCapabilities = {};

  /** @param params of `initialize` */
  read(params: { clientInfo?: { name?: unknown } | null; capabilities?: unknown }): void {
    const name = params.clientInfo?.name;
    this.name = typeof name === "string" ? name : "";
    this.manner = mannerOf(this.name);
    this.capabilities = Object(params.capabilities) as ClientCapabilities;
  }

  /** A person sits at it: it shows documents. Scripts say nothing of that. */
  get isEditor(): boolean {
    return this.capabilities.textDocument !== undefined;
  }

  get hasProgress(): boolean {
    return this.capabilities.window?.workDoneProgress === true;
  }

  get refreshesHints(): boolean {
    return this.capabilities.workspace?.inlayHint?.refreshSupport === true;
  }

  get refreshesLenses(): boolean {
    return this.capabilities.workspace?.codeLens?.refreshSupport === true;
  }

  /**
   * The parameters of `workspace/applyEdit`, in the form that this client makes the best of, and with the version when it
   * IS EXACT. No label: some show it each time.
   */
  edit(uri: string, version: number, edits: TextEdit[], isExact: boolean): object {
    if (this.capabilities.workspace?.workspaceEdit?.documentChanges === false)
      return { edit: { changes: { [uri]: edits } } };
    const textDocument = { uri, version: this.manner.isVersioned || isExact ? version : null };
    return { edit: { documentChanges: [{ textDocument, edits }] } };
  }
}
