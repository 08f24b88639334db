import * as z from "zod";
import { once } from "../once.ts";
import { assistantContent, richContent } from "./content.ts";
import { agentMessage, systemMessage } from "./message.ts";
import { usage } from "./usage.ts";

const entry = <T extends string>(type: T) => ({
  type: z.literal(type),
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string(),
});

export const sessionEntry = once(() =>
  z
    .discriminatedUnion("type", [
      z.object({ ...entry("message"), message: agentMessage() }),
      z.object({ ...entry("thinking_level_change"), thinkingLevel: z.string() }),
      z.object({ ...entry("model_change"), provider: z.string(), modelId: z.string() }),
      z.object({
        ...entry("usage"),
        kind: z.string(),
        provider: z.string(),
        model: z.string(),
        usage: usage(),
        note: z.string().exactOptional(),
      }),
      z.object({
        ...entry("compaction"),
        summary: z.string(),
        firstKeptEntryId: z.string(),
        tokensBefore: z.number(),
        details: z.unknown().exactOptional(),
        usage: usage().exactOptional(),
        fromHook: z.boolean().exactOptional().describe("An extension wrote it."),
        systemMessage: systemMessage().exactOptional(),
      }),
      z.object({
        ...entry("branch_summary"),
        fromId: z.string(),
        summary: z.string(),
        details: z.unknown().exactOptional(),
        usage: usage().exactOptional(),
        fromHook: z.boolean().exactOptional().describe("An extension wrote it."),
      }),
      z.object({ ...entry("custom"), customType: z.string(), data: z.unknown().exactOptional() }),
      z.object({
        ...entry("custom_message"),
        customType: z.string(),
        content: z.union([z.string(), richContent()]),
        details: z.unknown().exactOptional(),
        display: z.boolean(),
      }),
      z.object({
        ...entry("context_edit"),
        targetId: z.string(),
        replacement: z
          .object({ content: z.union([z.string(), richContent(), assistantContent()]) })
          .nullable()
          .describe("`null`: the model no longer sees the target."),
      }),
      z.object({ ...entry("label"), targetId: z.string(), label: z.string().exactOptional() }),
      z.object({ ...entry("session_info"), name: z.string().exactOptional() }),
    ])
    .meta({
      id: "SessionEntry",
      description:
        "A line of the session file. `parentId` is the entry before it on its branch, `null` for a root; `timestamp` is ISO 8601.",
    }),
);

/** Written out, because a type that contains itself cannot be inferred. */
export interface SessionTreeNode {
  entry: z.infer<ReturnType<typeof sessionEntry>>;
  children: SessionTreeNode[];
  label?: string;
  labelTimestamp?: string;
}

export const sessionTreeNode: () => z.ZodType<SessionTreeNode> = once(() => {
  const node: z.ZodType<SessionTreeNode> = z
    .object({
      entry: sessionEntry(),
      get children() {
        return z.array(node);
      },
      label: z.string().exactOptional().describe("The label that the user gave the entry."),
      labelTimestamp: z.string().exactOptional(),
    })
    .meta({ id: "SessionTreeNode" });
  return node;
});
