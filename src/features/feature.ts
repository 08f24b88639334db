import type { ServerCapabilities } from "vscode-languageserver-protocol";
import type { Call } from "../editor/connection.ts";

/** A part of the language server: what it can do, and the messages that it answers. */
export interface Feature {
  capabilities?: () => ServerCapabilities;
  requests?: Record<string, (params: unknown, call: Call) => unknown>;
  notifications?: Record<string, (params: unknown) => void>;
}
