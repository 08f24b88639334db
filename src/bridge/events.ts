import type { EditorConnection } from "../editor/connection.ts";
import { members } from "../pi/members.ts";
import type { OptIn } from "./opt-in.ts";

/** pi's events become notifications. Their params are pi's own bytes. */
export class PiEvents {
  private readonly editor: EditorConnection;
  private readonly optIn: OptIn;
  private readonly editorIds: ReadonlyMap<string, number | string>;
  private readonly methods = new Map<string, string>();

  constructor(editor: EditorConnection, optIn: OptIn, editorIds: ReadonlyMap<string, number | string>) {
    this.editor = editor;
    this.optIn = optIn;
    this.editorIds = editorIds;
  }

  event(type: string, line: Buffer): void {
    if (!this.optIn.wants(type)) return;
    this.editor.notifyRaw(this.method(type), type === "bash_execution_update" ? this.withEditorId(line) : line);
  }

  announcement(method: string, line: Buffer): void {
    if (this.optIn.wants(`ui/${method}`)) this.editor.notifyRaw(this.method(`ui/${method}`), line);
  }

  private method(type: string): string {
    let method = this.methods.get(type);
    if (method === undefined) {
      method = `pi/${type}`;
      this.methods.set(type, method);
    }
    return method;
  }

  /** The one change ever made to a record: an editor knows its own request id, not the one that pi was given. */
  private withEditorId(line: Buffer): Buffer {
    const span = members(line).get("id");
    if (!span) return line;
    const id = this.editorIds.get(JSON.parse(line.toString("utf8", ...span)));
    if (id === undefined) return line;
    return Buffer.concat([line.subarray(0, span[0]), Buffer.from(JSON.stringify(id)), line.subarray(span[1])]);
  }
}
