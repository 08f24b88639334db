/** How a client in TypeScript uses the constants. Nothing here runs: `tsc` is the test. */
import type { ProtocolConnection } from "vscode-languageserver-protocol";
import * as pi from "../../src/exports.ts";

export async function use(server: ProtocolConnection): Promise<unknown[]> {
  const prompted = await server.sendRequest(pi.PiPromptRequest, { message: "Hello", streamingBehavior: "steer" });
  const disposition: "handled" | "queued" | "started" | undefined = prompted?.disposition;
  const { sessionId } = await server.sendRequest(pi.PiGetStateRequest);
  const nothing: null = await server.sendRequest(pi.PiAbortRequest);
  const state: pi.BridgeState = await server.sendRequest(pi.BridgeStateRequest);

  server.onNotification(pi.PiMessageUpdateNotification, ({ assistantMessageEvent: step }) => {
    if (step.type === "text_delta") process.stdout.write(step.delta);
  });
  server.onNotification(pi.BridgeDialogClosedNotification, ({ id, reason }) => console.log(id, reason));
  server.onNotification(pi.PiUiSetStatusNotification, ({ statusKey, statusText = "" }) => {
    console.log(statusKey, statusText);
  });
  server.onRequest(pi.PiUiSelectRequest, ({ options: [first] }) => (first === undefined ? null : { value: first }));
  server.onRequest(pi.PiUiConfirmRequest, () => ({ confirmed: true }));

  // @ts-expect-error a misspelt parameter
  await server.sendRequest(pi.PiPromptRequest, { mesage: "Hello" });
  // @ts-expect-error a missing parameter
  await server.sendRequest(pi.PiPromptRequest);
  // @ts-expect-error an answer for another dialog
  server.onRequest(pi.PiUiConfirmRequest, () => ({ value: "yes" }));

  return [disposition, sessionId, nothing, state.phase];
}
