import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, RawClient, REAL_PI } from "./clients.ts";
import { answerTime } from "./deltas.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { undisturbed } from "./quiet.ts";

const PACKAGE = "pi-acp@0.0.34";

/** The same work as `deltas`, by the ACP adapter for pi. Installed into this run's folder; needs the network. */
export async function piAcp(): Promise<Figure[]> {
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE], {
    stdio: "inherit",
  });
  const pi = join(folder, "pi");
  const words = REAL_PI.map((word) => `'${word}'`).join(" ");
  writeFileSync(pi, `#!/bin/sh\nexec ${words} "$@" --no-session\n`, { mode: 0o755 });
  const measured = await pairs(
    5,
    undisturbed(async () => answerTime(await AcpClient.connect(pi))),
    undisturbed(async () => answerTime(await RawClient.start(REAL_PI))),
  );
  const { value, one, other } = ratio(measured);
  return [
    {
      benchmark: "pi-acp",
      work: `the work of \`deltas\`: ${PACKAGE} / \`pi --mode rpc\``,
      value,
      unit: "×",
      from: `${one.toFixed(0)} ms / ${other.toFixed(0)} ms`,
    },
  ];
}

/** Speaks ACP: JSON-RPC, one message a line. */
class AcpClient extends RawClient {
  private sessionId = "";

  static async connect(pi: string): Promise<AcpClient> {
    const program = join(folder, "node_modules/pi-acp/dist/index.js");
    const client = new AcpClient([process.execPath, program], { PI_ACP_PI_COMMAND: pi });
    await client.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const answer = await client.call("session/new", { cwd: folder, mcpServers: [] });
    client.sessionId = JSON.parse(answer.toString()).result.sessionId;
    return client;
  }

  /** ACP answers the prompt when the run is over. */
  override async run(message: string): Promise<number> {
    const begin = performance.now();
    await this.call("session/prompt", { sessionId: this.sessionId, prompt: [{ type: "text", text: message }] });
    return performance.now() - begin;
  }

  protected override request(id: number, method: string, params: object): string {
    return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  }

  protected override answerHead(id: number): string {
    return `{"jsonrpc":"2.0","id":${id},`;
  }
}
