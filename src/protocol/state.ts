import * as z from "zod";
import { UNAVAILABLE_REASONS } from "./errors.ts";
import { once } from "./once.ts";

export type BridgeState = z.infer<ReturnType<typeof bridgeState>>;

/** One snapshot of the pi process and of the run: what a status line needs, so that no client polls. */
export const bridgeState = once(() =>
  z
    .object({
      phase: z
        .enum(["stopped", "starting", "ready", "restarting", "failed"])
        .describe("The pi process. `stopped`: not started yet, or ended on purpose."),
      activity: z.enum(["idle", "running", "compacting", "retrying"]).describe("What the agent does."),
      pi: z
        .object({
          version: z.string().exactOptional().describe("Absent while it is not known."),
          pid: z.number().describe("Of the process that the bridge started, which may be `ssh`."),
          command: z.array(z.string()).describe("The words that were run."),
        })
        .exactOptional()
        .describe("The process, while there is one."),
      restarts: z.number().describe("How often pi was started again."),
      error: z
        .object({
          kind: z.enum(["unavailable", "exited"]),
          reason: z.enum(UNAVAILABLE_REASONS).exactOptional().describe("Of an `unavailable` pi."),
          message: z.string(),
          hint: z.string().describe("What to do about it."),
          exitCode: z.number().exactOptional(),
          signal: z.string().exactOptional(),
          stderr: z.string().exactOptional().describe("The last lines that pi wrote."),
        })
        .exactOptional()
        .describe("Why pi does not run."),
      session: z
        .object({
          id: z.string(),
          file: z.string().exactOptional().describe("Absent when the session is not persisted."),
          name: z.string().exactOptional(),
          cwd: z.string().describe("pi's working directory."),
        })
        .exactOptional(),
      model: z.object({ provider: z.string(), id: z.string() }).exactOptional(),
      thinkingLevel: z.string().exactOptional(),
      queue: z
        .object({ steering: z.array(z.string()), followUp: z.array(z.string()) })
        .describe("The texts of the messages that wait in pi's queue."),
      usage: z
        .object({
          tokens: z.number().nullable().describe("In the context now; `null` while it is not known."),
          percent: z.number().nullable().describe("Of the context window."),
          contextWindow: z.number(),
          cost: z.number().describe("Of the session, in US dollars."),
        })
        .exactOptional(),
      warnings: z
        .array(z.object({ reason: z.enum(UNAVAILABLE_REASONS), message: z.string(), hint: z.string() }))
        .exactOptional()
        .describe(
          "What is not as the person may think, though pi runs: no model, an untrusted project, another folder.",
        ),
      lost: z
        .object({ prompts: z.array(z.string()), steering: z.array(z.string()), followUp: z.array(z.string()) })
        .exactOptional()
        .describe("Texts that an ended pi had not taken, not saved or not come to. Kept until pi takes a text again."),
      dialogs: z.number().describe("How many dialogs are open."),
    })
    .meta({ id: "BridgeState", description: "One snapshot of the pi process and of the run." }),
);
