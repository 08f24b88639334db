/** What the agent is doing, in a few words for a progress line; undefined when the record does not change that. */
export function activity(type: string, record: Record<string, unknown>): string | undefined {
  switch (type) {
    case "turn_start":
      return "waiting for the model";
    case "message_update": {
      const { type: part } = Object(record.assistantMessageEvent) as { type?: unknown };
      return part === "thinking_start" ? "thinking" : part === "text_start" ? "writing" : undefined;
    }
    case "tool_execution_start":
      return [String(record.toolName), target(record.args)].filter(Boolean).join(" ");
    case "auto_retry_start":
      return `retry ${record.attempt} of ${record.maxAttempts} in ${Math.ceil(Number(record.delayMs) / 1000)} s: ${oneLine(record.errorMessage)}`;
    case "compaction_start":
      return "compacting the conversation";
    default:
      return undefined;
  }
}

/** What a tool works on: the argument that a person would name. */
function target(args: unknown): string {
  const { path, command, pattern, query, url } = Object(args) as Record<string, unknown>;
  return oneLine([path, command, pattern, query, url].find((value) => typeof value === "string"));
}

function oneLine(value: unknown): string {
  const line = String(value ?? "").split("\n")[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
