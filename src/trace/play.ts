import { writeSync } from "node:fs";
import { appendJournal, type JournalEntry, readJournal } from "./journal.ts";
import { Player, type PlayerOptions } from "./player.ts";
import type { Step } from "./steps.ts";

/** `EX_SOFTWARE`: the scenario and what came do not go together. */
const FAILED = 70;

/**
 * Makes this process the pi of a trace or scenario: commands on stdin, records on stdout. It runs until its stdin ends.
 * With a journal, each start of it plays the next one of `starts`; after the last one nothing is left to play.
 */
export async function play(
  starts: readonly (readonly Step[])[],
  words: readonly string[],
  { journal, ...options }: PlayerOptions & { journal?: string | undefined } = {},
): Promise<void> {
  const note = (entry: JournalEntry) => journal !== undefined && appendJournal(journal, entry);
  const end = (code: number): never => {
    note({ end: code, ...(player.waiting && { left: player.waiting }) });
    process.exit(code);
  };
  const fail = (text: string): never => {
    note({ failed: text });
    writeSync(2, `pi-language-server play: ${text}\n`);
    process.exit(FAILED);
  };
  /** What was written before must have left. */
  const flushed = () => new Promise((resolve) => process.stdout.write("", resolve));

  const before = journal === undefined ? 0 : readJournal(journal).filter((entry) => "start" in entry).length;
  const steps = starts[before];
  if (!steps && options.strict) fail(`start ${before + 1} of a scenario that has ${starts.length}`);
  note({ start: words, pid: process.pid, cwd: process.cwd() });

  const player = new Player(
    steps ?? [],
    {
      write: async (bytes) => {
        if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once("drain", resolve));
      },
      stderr: (text) => new Promise((resolve) => process.stderr.write(text, () => resolve())),
      exit: async (code) => {
        await flushed();
        return end(code);
      },
      kill: async (signal) => {
        await flushed();
        note({ end: 137 });
        process.kill(process.pid, signal);
        return new Promise(() => {});
      },
      fail,
    },
    options,
  );
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) player.receive(line);
  });
  process.stdin.on("end", () => {
    if (player.isStubborn) setInterval(() => {}, 1000);
    else end(0);
  });
  // stdin's end comes with it, and is what counts: a command may still be on its way before it.
  process.on("SIGTERM", () => {});
  process.stdout.on("error", () => end(0));
  await player.play();
}
