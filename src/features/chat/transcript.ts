import { endsInHalf } from "../../bridge/well-formed.ts";
import { PI, YOU } from "./layout.ts";
import { type ToolCall, textOf, toolDetails, toolDiff, toolLine } from "./tool-call.ts";
import { clean, code, fenced, firstLine, size } from "./words.ts";

interface Block {
  type?: unknown;
  text?: unknown;
  thinking?: unknown;
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
}

const THINKING_CHARACTERS = 160;
const OUTPUT_LINES = 20;
/** Tool calls whose whole is kept for hovers. */
const KEPT_CALLS = 500;

/**
 * pi's records as compact Markdown. Text is what it is; thinking, tool calls and their results become a line each, diffs a
 * block. Only ever appended: each call returns what the transcript grows by.
 */
export class Transcript {
  /** The line breaks that the transcript ends with. It grows behind the last line of what stands there already. */
  private breaks = 0;
  private isList = false;
  /** Half of a character, whose other half the next delta has. */
  private half = "";
  private hasText = false;
  private failure: string | undefined;
  private readonly started = new Map<string, { name: string; args: unknown }>();
  private readonly details = new Map<string, string>();

  /** The whole of the tool call that LINE tells of. */
  detailsOf(line: string): string | undefined {
    return this.details.get(line.trim());
  }

  /** The person's words, and the beginning of the answer. */
  turn(prompt: string): string {
    const lead = "\n".repeat(2);
    this.breaks = 2;
    this.isList = false;
    return `${lead}${YOU}\n\n${clean(prompt).trim()}\n\n${PI}\n\n`;
  }

  /** A paragraph of its own. */
  paragraph(text: string): string {
    return this.add(`${this.gap()}${text}`);
  }

  record(type: string, record: Record<string, unknown>): string {
    switch (type) {
      case "message_start":
        this.hasText = false;
        return "";
      case "message_update":
        return this.update(Object(record.assistantMessageEvent));
      case "message_end":
        return this.message(Object(record.message));
      case "tool_execution_start":
        this.started.set(String(record.toolCallId), { name: String(record.toolName), args: record.args });
        return "";
      case "tool_execution_end": {
        const { args } = this.started.get(String(record.toolCallId)) ?? {};
        const { toolName, result, isError } = record;
        return this.tool({ name: String(toolName), args, result, isError: isError === true });
      }
      case "compaction_end":
        return record.aborted === true || record.errorMessage
          ? ""
          : this.paragraph("*The conversation was compacted.*");
      case "agent_settled":
        return this.settled(record.aborted === true);
      default:
        return "";
    }
  }

  /** A stored conversation, without the header. */
  history(messages: readonly unknown[]): string {
    const calls = new Map<string, Block>();
    const text = messages.map((message) => this.stored(Object(message), calls)).join("");
    this.breaks = 0;
    return text.trimEnd();
  }

  private stored(
    message: { role?: unknown; content?: unknown; errorMessage?: unknown },
    calls: Map<string, Block>,
  ): string {
    if (message.role === "user") return this.turn(textOf(message));
    if (message.role === "toolResult") {
      const { toolCallId, toolName, isError } = message as Record<string, unknown>;
      const args = calls.get(String(toolCallId))?.arguments;
      return this.tool({ name: String(toolName), args, result: message, isError: isError === true });
    }
    if (message.role !== "assistant") return this.other(message);
    const blocks = Array.isArray(message.content) ? (message.content as Block[]) : [];
    const parts = blocks.map((block) => {
      if (block.type === "toolCall") calls.set(String(block.id), block);
      if (block.type === "thinking") return this.thinking(block.thinking);
      return block.type === "text" ? this.add(this.gap() + clean(String(block.text))) : "";
    });
    if (typeof message.errorMessage === "string") parts.push(this.paragraph(problem(message.errorMessage)));
    return parts.join("");
  }

  private update(event: { type?: unknown; delta?: unknown; content?: unknown }): string {
    if (event.type === "text_start") {
      this.half = "";
      return this.add(this.gap());
    }
    if (event.type === "text_delta") {
      this.hasText = true;
      const text = this.half + String(event.delta);
      this.half = endsInHalf(text) ? text.slice(-1) : "";
      return this.add(clean(text.slice(0, text.length - this.half.length)));
    }
    return event.type === "thinking_end" ? this.thinking(event.content) : "";
  }

  private message(message: {
    role?: unknown;
    content?: unknown;
    stopReason?: unknown;
    errorMessage?: unknown;
  }): string {
    if (message.role === "user" || message.role === "toolResult") return "";
    if (message.role !== "assistant") return this.other(message);
    this.failure =
      message.stopReason === "error" ? String(message.errorMessage ?? "the model gave no reason") : undefined;
    const text = this.hasText ? "" : textOf(message);
    return text === "" ? "" : this.add(this.gap() + text);
  }

  private tool(call: ToolCall): string {
    const line = toolLine(call);
    this.keep(line, toolDetails(call));
    const lead = this.isList ? "\n" : this.gap();
    const diff = toolDiff(call);
    if (diff !== undefined) return this.add(`${lead}${line}\n\n${diff}`);
    const added = this.add(lead + line);
    this.isList = true;
    return added;
  }

  private thinking(content: unknown): string {
    const text = clean(String(content ?? "")).trim();
    if (text === "") return "";
    const first = firstLine(text, THINKING_CHARACTERS);
    if (text === first) return this.paragraph(`> *${first}*`);
    const line = `> *${first}* (thinking, ${size(text)})`;
    this.keep(line, text);
    return this.paragraph(line);
  }

  /** What is neither the person's nor the model's. */
  private other(message: Record<string, unknown>): string {
    switch (message.role) {
      case "bashExecution": {
        const exit = message.cancelled === true ? "cancelled" : `exit code ${message.exitCode ?? "unknown"}`;
        const output = String(message.output ?? "");
        const line = `- **!** ${code(firstLine(String(message.command), 80))} → ${exit}, ${size(output)}`;
        this.keep(line, fenced(output, "", 400));
        const where = typeof message.fullOutputPath === "string" ? `: ${message.fullOutputPath}` : "";
        return this.paragraph(output === "" ? line : `${line}\n\n${fenced(output, "", OUTPUT_LINES, where)}`);
      }
      case "custom":
        return message.display === true ? this.paragraph(textOf(message).trim()) : "";
      case "compactionSummary":
      case "branchSummary":
        return this.paragraph(`*Summary of what was said before:* ${firstLine(String(message.summary), 200)}`);
      default:
        return "";
    }
  }

  private settled(isAborted: boolean): string {
    const { failure } = this;
    this.failure = undefined;
    this.started.clear();
    if (failure !== undefined) return this.paragraph(problem(failure));
    return isAborted ? this.paragraph("*Stopped.*") : "";
  }

  private keep(line: string, details: string): void {
    if (this.details.size >= KEPT_CALLS) this.details.delete(this.details.keys().next().value ?? "");
    this.details.set(line, details);
  }

  /** What brings the transcript to a new paragraph. */
  private gap(): string {
    return "\n".repeat(Math.max(0, 2 - this.breaks));
  }

  private add(text: string): string {
    if (text === "") return "";
    const own = /\n*$/.exec(text)?.[0].length ?? 0;
    this.breaks = own === text.length ? this.breaks + own : own;
    this.isList = false;
    return text;
  }
}

/** A failure in the transcript. */
export function problem(text: string): string {
  return `**pi could not go on:** ${clean(text).trim()}`;
}
