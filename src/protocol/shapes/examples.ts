/** Values that several examples of the documentation share. */

export const exampleModel = {
  id: "claude-sonnet-4-20250514",
  name: "Claude Sonnet 4",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  reasoning: true,
  input: ["text", "image"],
  contextWindow: 200000,
  maxTokens: 16384,
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
} as const;

export const exampleUsage = {
  input: 100,
  output: 12,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 112,
  cost: { input: 0.0003, output: 0.00018, cacheRead: 0, cacheWrite: 0, total: 0.00048 },
} as const;

export const exampleUserMessage = {
  role: "user",
  content: "Review this repository.",
  timestamp: 1769851613589,
} as const;

export const exampleAssistantMessage = {
  role: "assistant",
  content: [{ type: "text", text: "The checkout has two race conditions." }],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-4-20250514",
  usage: exampleUsage,
  stopReason: "stop",
  timestamp: 1769851614012,
} as const;

export const exampleEntry = {
  type: "message",
  id: "a1b2c3d4",
  parentId: null,
  timestamp: "2026-01-31T09:26:53.589Z",
  message: exampleUserMessage,
} as const;

export const exampleCompaction = {
  summary: "The user asked for a review of the checkout; two race conditions were found.",
  firstKeptEntryId: "a1b2c3d4",
  tokensBefore: 150000,
  estimatedTokensAfter: 32000,
  usage: exampleUsage,
  details: { readFiles: ["src/cart.ts"], modifiedFiles: [] },
} as const;

export const exampleStats = {
  sessionFile: "/home/ada/.pi/agent/sessions/--home-ada-shop--/2026-01-31T09-26-53-589Z_0199f1c2.jsonl",
  sessionId: "0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10",
  userMessages: 5,
  assistantMessages: 5,
  toolCalls: 12,
  toolResults: 12,
  totalMessages: 22,
  tokens: { input: 50000, output: 10000, cacheRead: 40000, cacheWrite: 5000, total: 105000 },
  cost: 0.45,
  contextUsage: { tokens: 60000, contextWindow: 200000, percent: 30 },
} as const;
