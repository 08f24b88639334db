import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Exchange } from "../../src/pi/exchange.ts";
import { Refresher } from "../../src/pi/refresher.ts";
import { Status } from "../../src/pi/status.ts";

test("a state from before the end of the run does not outlive it, however late the other answer comes", async () => {
  const asked: { id: string; type: string }[] = [];
  const nothing = () => {};
  const exchange = new Exchange({
    write: (line) => asked.push(JSON.parse(line)) > 0,
    closeDialogs: nothing,
    stateChanged: nothing,
    accepted: nothing,
    backlog: nothing,
    log: nothing,
  });
  exchange.start();
  const status = new Status();
  const answer = (type: string, data: object) => {
    const id = asked.find((command) => command.type === type)?.id ?? "";
    exchange.answer({ is: "response", id, command: type, data: Buffer.from(JSON.stringify(data)) });
    return turn();
  };
  status.fold("agent_start", {});
  new Refresher(exchange, status, nothing).refresh();
  await answer("get_state", { sessionId: "one", isStreaming: true });
  expect(status).toMatchObject({ activity: "running", session: { id: "one" } });
  status.fold("agent_settled", {});
  await answer("get_session_stats", { cost: 1 });
  expect(status).toMatchObject({ activity: "idle", usage: { cost: 1 } });
});
