import type { ClientCapabilities, ServerCapabilities } from "vscode-languageserver-protocol";
import type { Call } from "../editor/connection.ts";

/** A part of the language server: what it can do, and the messages that it answers. */
export interface Feature {
  /** @param client what the editor has said that it can do */
  capabilities?: (client: ClientCapabilities) => ServerCapabilities;
  requests?: Record<string, (params: unknown, call: Call) => unknown>;
  notifications?: Record<string, (params: unknown) => void>;
  /** The session is over: what is under way ends, and its requests are answered. May be called twice. */
  stop?: () => Promise<void>;
}
