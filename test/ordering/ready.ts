import { onTestFinished } from "vitest";
import { fakePi } from "../support/pis.ts";
import { connect, initializeParams, type Talk } from "../support/talk.ts";
import { Puppet } from "./puppet.ts";

/** An editor at one end and a puppet at the other, both at hand. */
export async function ready(): Promise<{ editor: Talk; pi: Puppet }> {
  const editor = connect({ inMemory: true });
  const pi = new Puppet(editor.sandbox);
  onTestFinished(() => pi.close());
  const params = initializeParams(editor, fakePi, [], { initializationOptions: { command: pi.command } });
  await editor.request("initialize", params, "initialize");
  editor.notify("initialized", {});
  await editor.until(({ method, params }) => method === "bridge/state" && params.phase === "ready");
  return { editor, pi };
}
