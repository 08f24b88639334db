import type { EditorConnection } from "../editor/connection.ts";
import { members } from "../pi/members.ts";
import { Coalescer } from "./coalescer.ts";
import type { OptIn } from "./opt-in.ts";
import { withReferences } from "./references.ts";
import { wellFormed } from "./well-formed.ts";

/** Bytes that may wait for an editor that does not read, before pi is not read any further either. */
const HELD_BYTES = 1024 * 1024;

/** pi's events become notifications. Their params are pi's own bytes, unless the editor asked for fewer or smaller ones. */
export class PiEvents {
  private readonly editor: EditorConnection;
  private readonly optIn: OptIn;
  private readonly editorIds: ReadonlyMap<string, number | string>;
  private readonly methods = new Map<string, string>();
  private readonly coalescer: Coalescer;
  private held: Promise<void> | undefined;

  constructor(editor: EditorConnection, optIn: OptIn, editorIds: ReadonlyMap<string, number | string>) {
    this.editor = editor;
    this.optIn = optIn;
    this.editorIds = editorIds;
    this.coalescer = new Coalescer(
      (type, line) => editor.notifyRaw(this.method(type), wellFormed(line)),
      () => editor.flush(),
    );
  }

  /** @param type for an announcement `ui/<method>` */
  event(type: string, line: Buffer): void {
    if (!this.optIn.wants(type)) return;
    const { coalesceMs, referenceAbove } = this.optIn;
    let params = type === "bash_execution_update" ? this.withEditorId(line) : line;
    if (referenceAbove !== undefined) params = withReferences(params, referenceAbove);
    if (coalesceMs === undefined) this.editor.notifyRaw(this.method(type), params);
    else this.coalescer.add(type, params, coalesceMs);
  }

  /** Everything that was told so far leaves, before what is said next. A promise: the editor does not keep up. */
  flush(): Promise<void> | undefined {
    this.coalescer.flush();
    this.editor.flush();
    return this.editor.drained();
  }

  /** A chunk of pi's records is through. A promise: pi is not to be read any further before it resolves. */
  chunkEnd(): Promise<void> | undefined {
    this.editor.flush();
    const drained = this.editor.drained();
    if (!drained || this.optIn.coalesceMs === undefined) return drained;
    if (this.held !== drained) {
      this.held = drained;
      this.coalescer.hold(true);
      void drained.then(() => {
        this.held = undefined;
        this.coalescer.hold(false);
      });
    }
    return this.coalescer.bytes > HELD_BYTES ? drained : undefined;
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
