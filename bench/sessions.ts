import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { BridgeClient, BUNDLE, env, RawClient } from "./clients.ts";
import { type Figure, pairs, ratio } from "./figure.ts";
import { writeSessions } from "./session-files.ts";

const SAMPLES = 21;

const sessionsDir = join(env.PI_CODING_AGENT_DIR, "sessions");

interface Page {
  sessions: unknown[];
  indexed: boolean;
}

/**
 * 5,000 session files, 2 GB in all: how long a person waits for the list. The first page is to come within a second and
 * every later one within 50 ms; both are held against what the machine needs for the bare files, in the same run.
 */
export async function sessions(): Promise<Figure[]> {
  writeSessions(sessionsDir);
  const first: Measured = [];
  const meanwhile: Measured = [];
  const ends: number[] = [];
  for (let run = 0; run < 3; run++) {
    const client = await ListClient.withoutIndex();
    first.push(...(await pairs(1, () => client.page({}), catTime)));
    meanwhile.push(...(await pairs(SAMPLES, () => client.page({}), statTime)));
    const start = performance.now();
    await client.end();
    ends.push(performance.now() - start);
  }
  const client = await ListClient.withoutIndex();
  const idle = memory(client).rss;
  const reading = await pairs(1, () => client.readAll(), catTime);
  const { peak } = memory(client);
  const pages = await pairs(SAMPLES, () => client.page({}), statTime);
  const searches = await pairs(SAMPLES, () => client.page({ query: "word17 message" }), statTime);
  await client.end();
  const next = await ListClient.open();
  const kept = await pairs(1, () => next.page({}), catTime);
  if (!(await next.list({ query: "word17" })).indexed) throw new Error("the index was not kept");
  await next.end();
  return [
    figure("the first page / `cat` of the files", first, 1, "a second"),
    figure("a page while they are read in the background / `stat` of the files", meanwhile, 4, "50 ms"),
    figure("a page afterwards / `stat` of the files", pages, 4, "50 ms"),
    figure("a search afterwards / `stat` of the files", searches, 5),
    figure("the first page of the next bridge / `cat` of the files", kept, 1, "a second"),
    figure("reading all in the background / `cat` of the files", reading),
    {
      benchmark: "sessions",
      work: "5,000 session files, 2 GB: the end of the bridge while it reads, slowest of 3",
      value: Math.max(...ends),
      unit: "ms",
      from: ends.map((end) => end.toFixed(0)).join(", "),
    },
    {
      benchmark: "sessions",
      work: "5,000 session files, 2 GB: most memory while reading all, above that of the idle bridge",
      value: peak - idle,
      unit: "MB",
      limit: 300,
      from: `${peak.toFixed(0)} MB − ${idle.toFixed(0)} MB`,
    },
  ];
}

type Measured = { one: number; other: number }[];

function figure(work: string, measured: Measured, limit?: number, wanted?: string): Figure {
  const { value, one, other } = ratio(measured);
  return {
    benchmark: "sessions",
    work: `5,000 session files, 2 GB: ${work}`,
    value,
    unit: "×",
    ...(limit !== undefined && { limit }),
    from: `${one.toFixed(0)} ms / ${other.toFixed(0)} ms${wanted === undefined ? "" : `; wanted within ${wanted}`}`,
  };
}

/** A bridge whose pi is not started: the list needs none. */
class ListClient extends BridgeClient {
  static async open(): Promise<ListClient> {
    const client = new ListClient([process.execPath, BUNDLE]);
    await client.call("initialize", { processId: null, rootUri: null, capabilities: {} });
    return client;
  }

  static withoutIndex(): Promise<ListClient> {
    rmSync(join(env.HOME, ".cache"), { recursive: true, force: true });
    return ListClient.open();
  }

  async list(params: object): Promise<Page> {
    const answer = await this.call("bridge/list_sessions", { all: true, ...params });
    const { result, error } = JSON.parse(answer.toString("utf8")) as { result: Page; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }

  /** In milliseconds. */
  async page(params: object): Promise<number> {
    const start = performance.now();
    const { sessions } = await this.list(params);
    if (sessions.length === 0) throw new Error("an empty page");
    return performance.now() - start;
  }

  async readAll(): Promise<number> {
    const start = performance.now();
    // A search waits for the reading, for a while.
    while (!(await this.list({ query: "nothing" })).indexed);
    return performance.now() - start;
  }

  protected override request(id: number, method: string, params: object): string {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
}

async function catTime(): Promise<number> {
  const files = readdirSync(sessionsDir).map((folder) => `${join(sessionsDir, folder)}/*`);
  const start = performance.now();
  const client = new RawClient(["sh", "-c", `cat ${files.join(" ")} > /dev/null`]);
  await new Promise((resolve) => client.process.once("exit", resolve));
  return performance.now() - start;
}

/** What no list that is in the order of time can do without. */
async function statTime(): Promise<number> {
  const start = performance.now();
  for (const folder of readdirSync(sessionsDir)) {
    for (const name of readdirSync(join(sessionsDir, folder))) statSync(`${sessionsDir}/${folder}/${name}`);
  }
  return performance.now() - start;
}

/** In MB, as Linux counts it. */
function memory({ process: { pid } }: ListClient): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { rss: of("VmRSS"), peak: of("VmHWM") };
}
