export type { JournalEntry as LogEntry } from "../../src/trace/journal.ts";
export type { Answer, PiRecord, Step } from "../../src/trace/steps.ts";

/** The state that a fake pi has when its scenario names no other. */
export const FAKE_STATE = {
  model: {
    id: "fake-model",
    name: "Fake",
    provider: "fake",
    api: "fake",
    baseUrl: "http://127.0.0.1",
    reasoning: true,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 100,
  },
  thinkingLevel: "medium",
  isStreaming: false,
  isCompacting: false,
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  sessionFile: "/nowhere/fake-session.jsonl",
  sessionId: "fake-session",
  autoCompactionEnabled: true,
  messageCount: 0,
  pendingMessageCount: 0,
};

export const FAKE_STATS = {
  sessionFile: FAKE_STATE.sessionFile,
  sessionId: FAKE_STATE.sessionId,
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolResults: 0,
  totalMessages: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  cost: 0,
  contextUsage: { tokens: 100, contextWindow: 1000, percent: 10 },
};
