import { PassThrough } from "node:stream";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { Flags } from "../bridge/settings.ts";
import { serve } from "../serve.ts";

/** A bridge in this process, with the doctor as its editor. pi is started with `--no-session`: it leaves nothing behind. */
export async function roundTrip<T>(
  flags: Flags,
  version: string,
  use: (editor: MessageConnection) => Promise<T>,
): Promise<T> {
  const input = new PassThrough();
  const output = new PassThrough();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const server = serve({
    input,
    output,
    version,
    flags: { ...flags, args: [...(flags.args ?? []), "--no-session"] },
    env: process.env,
    ended: () => resolve(),
  });
  const editor = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
  editor.listen();
  try {
    await editor.sendRequest("initialize", { processId: process.pid, capabilities: {} });
    return await use(editor);
  } finally {
    server.end(0);
    await ended;
    editor.dispose();
  }
}
