import * as z from "zod";
import { once } from "./once.ts";

/** What holds where an option is absent. Options that are not here have no value then. */
export const optionDefaults = {
  command: ["pi"],
  args: [],
  session: "new",
  startTimeoutMs: 30_000,
  maxCommandBytes: 8 * 1024 * 1024,
  shrinkImages: false,
  remoteShell: false,
  executeCommand: true,
} as const;

/** The opt-in to messages that are not of LSP: `capabilities.experimental.pi`, or `pi` in the options. */
export const piOptIn = once(() =>
  z
    .object({
      events: z
        .union([
          z.boolean(),
          z.object({
            exclude: z
              .array(z.string())
              .describe("What is not sent, without `pi/`: `message_update`, `ui/notify`, `bridge/state`."),
          }),
        ])
        .exactOptional()
        .meta({ default: false, description: "Send pi's events, its announcements and `bridge/*` as notifications." }),
      dialogs: z
        .array(z.enum(["select", "confirm", "input", "editor"]))
        .exactOptional()
        .meta({
          default: [],
          description:
            "The dialogs that the editor can show. Every other one is shown by means of LSP, as far as it has them.",
        }),
      coalesce: z
        .object({ ms: z.int().min(1).max(1000).describe("Milliseconds that a record may wait for the next ones.") })
        .exactOptional()
        .describe(
          "Merge deltas that follow each other within `ms` milliseconds (1 to 1000), and send only the latest of cumulative records. Halves of characters that stand alone in these and in `bridge/history` become U+FFFD: many editors could not read the message. Default: every record as it is.",
        ),
      largePayloads: z
        .object({ above: z.int().min(1024).describe("Bytes.") })
        .exactOptional()
        .describe(
          "Replace texts in tool results, and images, of more than `above` bytes (at least 1024) by references, which `bridge/fetch` resolves. Events, `bridge/history`; not the answers to `pi/…` and `bridge/run`.",
        ),
    })
    .meta({ id: "PiOptIn", description: "The messages beyond LSP that the editor wants." }),
);

export type PiOptIn = z.infer<ReturnType<typeof piOptIn>>;

/** What becomes a word, a variable or a path of a process: there a NUL would end it. */
const text = once(() => z.string().regex(/^[^\0]*$/, "must not contain a NUL character"));

/** `initializationOptions`. Unknown keys pass: an option that a later version adds must not lock out its users here. */
export const options = once(() =>
  z
    .object({
      command: z.array(text()).min(1).exactOptional().meta({
        default: optionDefaults.command,
        description: 'The words that start pi, without a shell, such as `["ssh", "host", "pi"]`.',
      }),
      args: z
        .array(text())
        .exactOptional()
        .meta({ default: optionDefaults.args, description: "Further arguments for pi, such as `--model`." }),
      env: z
        .record(text(), text())
        .exactOptional()
        .meta({ default: {}, description: "Environment variables for pi, beside those of the bridge." }),
      cwd: text().exactOptional().describe("pi's working directory. Default: the first workspace folder that exists."),
      session: z
        .union([
          z.enum(["new", "last"]),
          z.strictObject({ file: text().min(1).describe("A session file.") }),
          z.strictObject({ id: text().min(1).describe("A session id, or the beginning of one.") }),
        ])
        .exactOptional()
        .meta({ default: optionDefaults.session, description: "The session to start in." }),
      name: text().exactOptional().describe("The session's name."),
      trust: z
        .enum(["approve", "no-approve"])
        .exactOptional()
        .describe("Whether pi loads the project's own resources. Default: what pi has stored; else it does not."),
      startTimeoutMs: z
        .int()
        .min(1)
        .exactOptional()
        .meta({ default: optionDefaults.startTimeoutMs, description: "How long pi may take to start." }),
      maxCommandBytes: z.int().min(1024).exactOptional().meta({
        default: optionDefaults.maxCommandBytes,
        description: "The longest line that pi is sent. pi reads long lines slowly, and everything else waits.",
      }),
      shrinkImages: z.boolean().exactOptional().meta({
        default: optionDefaults.shrinkImages,
        description: "Make an image file that is too large for `maxCommandBytes` smaller, instead of refusing it.",
      }),
      remoteShell: z.boolean().exactOptional().meta({
        default: optionDefaults.remoteShell,
        description: "Quote the words that the bridge appends to `command`, for `ssh`, which splits them again.",
      }),
      executeCommand: z
        .boolean()
        .exactOptional()
        .meta({ default: optionDefaults.executeCommand, description: "Offer the `pi.*` commands to the editor." }),
      pi: piOptIn().exactOptional().describe("As `capabilities.experimental.pi`, for clients that cannot set it."),
    })
    .meta({ id: "Options", description: "`initializationOptions`." }),
);

export type Options = z.infer<ReturnType<typeof options>>;
