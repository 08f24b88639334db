/** The snapshot that several examples of the documentation show. */
export const exampleState = {
  phase: "ready",
  activity: "running",
  pi: { version: "1.6.0", pid: 4242, command: ["pi", "--mode", "rpc"] },
  restarts: 0,
  session: { id: "0199f1c2-7d7e-7c0a-9c1e-5b1f7f3c2a10", name: "checkout rewrite", cwd: "/home/ada/shop" },
  model: { provider: "anthropic", id: "claude-sonnet-4-20250514" },
  thinkingLevel: "medium",
  queue: { steering: [], followUp: ["Then update the changelog."] },
  usage: { tokens: 60000, percent: 30, contextWindow: 200000, cost: 0.45 },
  dialogs: 0,
} as const;
