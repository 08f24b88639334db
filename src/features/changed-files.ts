import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseRecord } from "../pi/record.ts";
import { isSaved } from "./ask/passage.ts";
import { isChatDocument } from "./completion/prompt.ts";
import type { Documents } from "./documents.ts";
import { decoded } from "./uri.ts";

/** The tools of pi that write the file which they are given. */
const WRITERS = new Set(["edit", "write"]);

/** Says once that pi has changed a file on the disk which the editor has open, where the editor does not show that by itself. */
export class ChangedFiles {
  private readonly documents: Documents;
  private readonly hooks: { isWanted(): boolean; reloads(): boolean; cwd(): string; tell(message: string): void };
  /** The call under way, and whether the editor's text was what the disk had before it. */
  private readonly calls = new Map<string, { uri: string; path: string; isModified: boolean }>();
  private readonly told = new Set<string>();

  constructor(documents: Documents, hooks: ChangedFiles["hooks"]) {
    this.documents = documents;
    this.hooks = hooks;
  }

  /** An event of pi's. */
  record(type: string, line: Buffer): void {
    if (type === "agent_settled") {
      this.calls.clear();
      this.told.clear();
    }
    if ((type !== "tool_execution_start" && type !== "tool_execution_end") || !this.hooks.isWanted()) return;
    const { toolCallId, toolName, args, isError } = parseRecord(line) ?? {};
    const id = String(toolCallId);
    if (type === "tool_execution_start") {
      const { path } = Object(args) as { path?: unknown };
      if (WRITERS.has(String(toolName)) && typeof path === "string") this.started(id, path);
    } else {
      const call = this.calls.get(id);
      this.calls.delete(id);
      if (call && isError !== true) this.tell(call);
    }
  }

  private started(id: string, path: string): void {
    const file = resolve(this.hooks.cwd(), path);
    const document = this.find(file);
    if (!document || isChatDocument(document.uri)) return;
    // The disk alone does not tell: when this record is read late, the tool has written already.
    const isModified = !this.documents.isUntouched(document) && !isSaved(document.uri, document.getText());
    this.calls.set(id, { uri: document.uri, path, isModified });
  }

  private tell({ uri, path, isModified }: { uri: string; path: string; isModified: boolean }): void {
    if (this.told.has(uri) || (!isModified && this.hooks.reloads())) return;
    this.told.add(uri);
    this.hooks.tell(
      isModified
        ? `pi has changed ${path} on the disk, and it has unsaved changes here: saving would undo pi's.`
        : `pi has changed ${path} on the disk: reload it here.`,
    );
  }

  private find(file: string) {
    const direct = this.documents.get(pathToFileURL(file).href);
    if (direct) return direct;
    for (const document of this.documents.all) if (decoded(document.uri) === `file://${file}`) return document;
    return undefined;
  }
}
