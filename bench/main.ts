import { parseArgs } from "node:util";
import { coalescing } from "./coalescing.ts";
import { completion } from "./completion.ts";
import { deltas } from "./deltas.ts";
import { type Figure, verdict } from "./figure.ts";
import { largeResponse } from "./large-response.ts";
import { latency } from "./latency.ts";
import { piAcp } from "./pi-acp.ts";
import { replay } from "./replay.ts";
import { machine, shown, writeReport } from "./report.ts";
import { sessions } from "./sessions.ts";
import { stalledEditor } from "./stalled-editor.ts";
import { start } from "./start.ts";

const benchmarks: Record<string, () => Promise<Figure[]>> = {
  deltas,
  replay,
  latency,
  start,
  "large-response": largeResponse,
  "stalled-editor": stalledEditor,
  coalescing,
  completion,
  sessions,
};
const peers: typeof benchmarks = { "pi-acp": piAcp };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { peers: { type: "boolean" }, write: { type: "boolean" } },
});
const all = { ...benchmarks, ...(values.peers && peers) };
const unknown = positionals.find((name) => !(name in all));
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark "${unknown}"; there are: ${Object.keys(all).join(", ")}.\n`);
  process.exit(2);
}
if (process.platform !== "linux") {
  process.stderr.write("The benchmarks read CPU time and memory from /proc: they need Linux.\n");
  process.exit(2);
}
if (values.write && positionals.length > 0) {
  process.stderr.write("--write writes down a whole run, not one of single benchmarks.\n");
  process.exit(2);
}

process.stdout.write(`${machine()}\n\n`);
const figures: Figure[] = [];
for (const [name, run] of Object.entries(all)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  for (const figure of await run()) {
    figures.push(figure);
    const [, work, must, measured, from, ok] = shown(figure);
    process.stdout.write(
      `${name.padEnd(15)} ${work}\n${" ".repeat(16)}${measured} (must reach ${must}; ${from}) ${ok}\n`,
    );
  }
}
if (values.write) writeReport(figures);
process.exitCode = figures.some((figure) => verdict(figure) === "FAIL") ? 1 : 0;
