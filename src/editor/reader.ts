import type { Readable } from "node:stream";
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
} from "vscode-jsonrpc/node";
import { codes } from "../protocol/errors.ts";
import { FrameSplitter } from "./frames.ts";
import { type Inbound, readMessage } from "./messages.ts";

export interface ReaderEvents {
  /** An answerable fault in the input. */
  fault(fault: Extract<Inbound, { is: "fault" }>): void;
  ignored(text: string): void;
  /** A message was handed on. */
  received(message: Message): void;
  /** No way to find the next message in the input: the connection is over. */
  lost(reason: string): void;
}

/** Frames in, valid JSON-RPC messages out. Everything else is handed to `events`. */
export class FrameReader extends AbstractMessageReader implements MessageReader {
  private readonly input: Readable;
  private readonly events: ReaderEvents;
  private readonly splitter = new FrameSplitter();
  /** The ids of the requests that have not been answered, by their text. */
  readonly open = new Map<string, number | string>();
  /** The ids of the requests to the editor that it has not answered, by their text. */
  readonly asked = new Map<string, number | string>();

  constructor(input: Readable, events: ReaderEvents) {
    super();
    this.input = input;
    this.events = events;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer) => {
      for (const frame of this.splitter.push(chunk)) {
        if (frame.is === "body") this.receive(readMessage(frame.bytes, this), callback);
        else if (frame.fatal) this.events.lost(frame.reason);
        else
          this.events.fault({ is: "fault", code: codes.ParseError, text: `Bad framing: ${frame.reason}.`, id: null });
      }
    };
    let ended = false;
    const onEnd = () => {
      if (ended) return;
      ended = true;
      const rest = this.splitter.rest();
      if (rest) this.events.ignored(`The input ended inside a message: ${rest}.`);
      this.fireClose();
    };
    this.input.on("data", onData);
    this.input.on("end", onEnd);
    this.input.on("close", onEnd);
    this.input.on("error", (error) => this.fireError(error));
    return { dispose: () => void this.input.off("data", onData).off("end", onEnd).off("close", onEnd) };
  }

  private receive(inbound: Inbound, callback: DataCallback): void {
    if (inbound.is === "fault") return this.events.fault(inbound);
    if (inbound.is === "ignored") return this.events.ignored(inbound.text);
    const { id, method } = inbound.message as { id?: number | string; method?: string };
    if (method !== undefined) {
      if (id !== undefined) this.open.set(String(id), id);
      this.events.received(inbound.message);
      return void callback(inbound.message);
    }
    // The first answer counts, also when it has made a string of the id.
    const own = this.asked.get(String(id));
    if (own === undefined)
      return this.events.ignored(`An answer to ${JSON.stringify(id)}, which is not open (any more).`);
    this.asked.delete(String(id));
    this.events.received(inbound.message);
    callback({ ...inbound.message, id: own } as Message);
  }
}
