/** The types of what pi's results and events are made of. */
import type * as z from "zod";
import type { compactionResult } from "./compaction.ts";
import type { imageContent, textContent, thinkingContent, toolCall } from "./content.ts";
import type { sessionEntry } from "./entry.ts";
import type {
  agentMessage,
  assistantMessage,
  bashExecutionMessage,
  branchSummaryMessage,
  compactionSummaryMessage,
  customMessage,
  systemMessage,
  toolResultMessage,
  userMessage,
} from "./message.ts";
import type { model } from "./model.ts";
import type { sessionStats } from "./stats.ts";
import type { usage } from "./usage.ts";

type Of<Schema extends () => z.ZodType> = z.infer<ReturnType<Schema>>;

export type AgentMessage = Of<typeof agentMessage>;
export type AssistantMessage = Of<typeof assistantMessage>;
export type BashExecutionMessage = Of<typeof bashExecutionMessage>;
export type BranchSummaryMessage = Of<typeof branchSummaryMessage>;
export type CompactionResult = Of<typeof compactionResult>;
export type CompactionSummaryMessage = Of<typeof compactionSummaryMessage>;
export type CustomMessage = Of<typeof customMessage>;
export type ImageContent = Of<typeof imageContent>;
export type Model = Of<typeof model>;
export type SessionEntry = Of<typeof sessionEntry>;
export type SessionStats = Of<typeof sessionStats>;
export type { SessionTreeNode } from "./entry.ts";
export type SystemMessage = Of<typeof systemMessage>;
export type TextContent = Of<typeof textContent>;
export type ThinkingContent = Of<typeof thinkingContent>;
export type ToolCall = Of<typeof toolCall>;
export type ToolResultMessage = Of<typeof toolResultMessage>;
export type Usage = Of<typeof usage>;
export type UserMessage = Of<typeof userMessage>;
