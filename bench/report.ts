import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { PI } from "./clients.ts";
import { type Figure, verdict } from "./figure.ts";
import { MB } from "./memory.ts";
import { disturbances } from "./quiet.ts";

const FILE = fileURLToPath(new URL("../docs/BENCHMARKS.md", import.meta.url));

/** Where and when it was measured, in one line. */
export function machine(): string {
  const [cpu] = cpus();
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", `file://${PI}`), "utf8"));
  const memory = `${Math.round(totalmem() / MB / 1024)} GB`;
  const system = `${type()} ${release().split("-")[0]}`;
  const date = new Date().toISOString().slice(0, 10);
  const load = `load average at the beginning ${(loadavg()[0] ?? 0).toFixed(1)}`;
  return `${date}: ${cpu?.model.trim()}, ${cpus().length} cores, ${memory}, ${system}, Node ${process.versions.node}, pi ${version}, ${load}.`;
}

/** One row of the table: benchmark, work, must, measured, what it was computed from, verdict. */
export function shown(figure: Figure): string[] {
  const { benchmark, work, value, unit, limit, from } = figure;
  const number = (n: number) =>
    `${Number(n.toFixed(unit === "MB" ? 0 : n < 1 ? 3 : 2))}${unit === "" || unit === "×" ? "" : " "}${unit}`;
  return [benchmark, work, limit === undefined ? "–" : `≤ ${number(limit)}`, number(value), from, verdict(figure)];
}

export function writeReport(figures: readonly Figure[]): void {
  const rows = [
    ["benchmark", "figure", "must reach", "measured", "from", ""],
    ["---", "---", "--:", "--:", "--:", "---"],
    ...figures.map(shown),
  ];
  const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  writeFileSync(FILE, `${HEAD}\n## Results\n\n${machine()}${disturbances()}\n\n${table}\n\n${METHOD}`);
}

const HEAD = `# Benchmarks

<!-- Written by \`npm run bench -- --write\`. Change bench/report.ts, and run that. -->

\`npm run bench\` measures what the bridge costs, and fails when a figure is not reached. Every figure is a ratio or a
difference within one run, because machines differ: both sides are measured in turn, and medians are compared.

\`\`\`sh
npm run bench                     # all of them, some two minutes; needs Linux
npm run bench -- deltas latency   # only these
npm run bench -- --peers          # and pi-acp beside it, which is installed for the run
npm run bench -- --write          # and writes this file
\`\`\`
`;

const METHOD = `## What is measured

Both sides have the same client: it cuts its input into records, looks at how each begins, and does nothing else. What
an editor does with a message would be the same on both sides, and hide the difference. Everything runs offline, with a
home folder of its own.

- **deltas**: real pi with a model in its own process, which answers with 20,000 text deltas. Each run has fresh
  processes, so the bridge runs on code that is not compiled yet. Eleven pairs.
- **replay**: deltas that real pi has written, 200,000 of them, written again by a process that acts as pi. CPU time is
  that of the bridge's process, with all its threads, from the prompt to the last delta. It is compared with
  \`bench/plain-bridge.ts\`: \`JSON.parse\` for each line and \`sendNotification\` of vscode-jsonrpc, awaited. (Not
  awaited, as one easily writes it, the queue makes it four times slower still.) \`cat\` is the least that can be between.
- **latency**: one delta a millisecond, 2,000 of them. Each tells when it was written; the client reads the same clock.
  The figure is the difference of the percentiles. Five pairs.
- **start**: from spawning the bridge to its answer to \`initialize\`, by a client that has opted in to pi's events.
  25 pairs.
- **large-response**: real pi with a session of 64 MB. Raw is what a client sees that asks pi itself: pi makes JSON of
  the session at each request, and that is part of the time on both sides. Both answers must be the same bytes. Peak
  memory is the process's own (\`VmHWM\`), everything included. Five pairs.
- **stalled-editor**: numbered deltas, 100 MB, as fast as they are taken; the client reads 1,000 of them, nothing for
  5 s, and then the rest. The growth is from before the prompt to the peak of the whole run.
- **coalescing**: the work of **deltas**, coalesced, with a client that needs 1 ms for each message; and updates of a
  shell command's output that repeat all of it each time, as pi writes them.
- **completion**: a git repository of 100,000 files. The first \`@\` reads them; \`git ls-files\` is the least that can be.
- **sessions**: a folder of 5,000 session files, 2 GB. The bridge lists them at once, and reads them in the background
  into an index, which the next bridge finds. \`cat\` is the time to read them, \`stat\` that to look at each.
- **pi-acp** (\`--peers\`): the work of **deltas** by the ACP adapter for pi, which sends only what ACP has a message
  for.
`;
