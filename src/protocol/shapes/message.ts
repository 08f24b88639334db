import * as z from "zod";
import { once } from "../once.ts";
import { assistantContent, richContent, textContent } from "./content.ts";
import { usage } from "./usage.ts";

const timestamp = () => z.number().describe("Milliseconds since 1970.");

export const systemMessage = once(() =>
  z
    .object({
      role: z.literal("system"),
      content: z.union([z.string(), z.array(textContent())]),
      sections: z.record(z.string(), z.string().nullable()).exactOptional(),
      toolsAdded: z
        .array(
          z.object({
            name: z.string(),
            description: z.string(),
            parameters: z.looseObject({}).describe("A JSON Schema."),
            constrainedSampling: z.unknown().exactOptional(),
          }),
        )
        .exactOptional(),
      toolsRemoved: z.array(z.object({ name: z.string() })).exactOptional(),
      timestamp: timestamp(),
    })
    .meta({ id: "SystemMessage", description: "The prompt and the tools, or a change of them." }),
);

export const userMessage = once(() =>
  z
    .object({
      role: z.literal("user"),
      content: z.union([z.string(), richContent()]),
      timestamp: timestamp(),
    })
    .meta({ id: "UserMessage" }),
);

export const assistantMessage = once(() =>
  z
    .object({
      role: z.literal("assistant"),
      content: assistantContent(),
      api: z.string(),
      provider: z.string(),
      model: z.string(),
      responseModel: z.string().exactOptional().describe("What the provider says that it used."),
      responseId: z.string().exactOptional(),
      providerThinkingLevel: z.string().exactOptional(),
      thinkingLevel: z.string().exactOptional(),
      diagnostics: z.array(z.looseObject({ type: z.string(), timestamp: z.number() })).exactOptional(),
      usage: usage(),
      stopReason: z
        .enum(["pending", "stop", "length", "toolUse", "error", "aborted", "deferred"])
        .describe("`pending` while the message streams."),
      deferred: z.looseObject({ provider: z.string(), modelId: z.string(), id: z.string() }).exactOptional(),
      errorMessage: z.string().exactOptional(),
      rawStopReason: z.string().exactOptional(),
      endTurn: z.boolean().exactOptional(),
      timestamp: timestamp(),
      durationMs: z.number().exactOptional(),
    })
    .meta({ id: "AssistantMessage" }),
);

export const toolResultMessage = once(() =>
  z
    .object({
      role: z.literal("toolResult"),
      toolCallId: z.string(),
      toolName: z.string(),
      content: richContent(),
      details: z.unknown().exactOptional().describe("Of the tool."),
      usage: usage().exactOptional().describe("Of model work that the tool did."),
      nestedCalls: z
        .object({
          calls: z.array(
            z.object({
              id: z.string(),
              name: z.string(),
              arguments: z.record(z.string(), z.unknown()).exactOptional(),
              argumentsBytes: z.number().exactOptional(),
              status: z.enum(["ok", "error", "unfinished"]),
              durationMs: z.number().exactOptional(),
              error: z.string().exactOptional(),
            }),
          ),
          complete: z.boolean(),
        })
        .exactOptional()
        .describe("The calls that the tool made to other tools."),
      isError: z.boolean(),
      timestamp: timestamp(),
      durationMs: z.number().exactOptional(),
    })
    .meta({ id: "ToolResultMessage" }),
);

export const bashExecutionMessage = once(() =>
  z
    .object({
      role: z.literal("bashExecution"),
      command: z.string(),
      output: z.string(),
      exitCode: z.number().exactOptional().describe("Absent when the command was killed."),
      cancelled: z.boolean(),
      truncated: z.boolean(),
      fullOutputPath: z.string().exactOptional(),
      timestamp: timestamp(),
      excludeFromContext: z.boolean().exactOptional(),
    })
    .meta({ id: "BashExecutionMessage", description: "A command that `pi/bash` ran." }),
);

export const customMessage = once(() =>
  z
    .object({
      role: z.literal("custom"),
      customType: z.string(),
      content: z.union([z.string(), richContent()]),
      display: z.boolean().describe("Show it to the user."),
      details: z.unknown().exactOptional(),
      timestamp: timestamp(),
    })
    .meta({ id: "CustomMessage", description: "A message of an extension to the model." }),
);

export const branchSummaryMessage = once(() =>
  z
    .object({
      role: z.literal("branchSummary"),
      summary: z.string(),
      fromId: z.string().nullable(),
      timestamp: timestamp(),
    })
    .meta({ id: "BranchSummaryMessage" }),
);

export const compactionSummaryMessage = once(() =>
  z
    .object({
      role: z.literal("compactionSummary"),
      summary: z.string(),
      tokensBefore: z.number(),
      timestamp: timestamp(),
    })
    .meta({ id: "CompactionSummaryMessage" }),
);

export const agentMessage = once(() =>
  z
    .discriminatedUnion("role", [
      systemMessage(),
      userMessage(),
      assistantMessage(),
      toolResultMessage(),
      bashExecutionMessage(),
      customMessage(),
      branchSummaryMessage(),
      compactionSummaryMessage(),
    ])
    .meta({ id: "AgentMessage", description: "A message of the conversation. Extensions may add further roles." }),
);
