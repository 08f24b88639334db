import { PiError } from "./error.ts";
import type { Exit } from "./process.ts";

/** Why what was asked of a pi that has ended has no answer. IS_LOST: the conversation went with it. */
export function exitError(exit: Exit, stderr: string, isLost: boolean): PiError {
  const { signal, exitCode } = exit;
  const lastLine = stderr.split("\n").findLast((line) => line.trim() !== "");
  // A program says why it ends by itself. What it had said before somebody killed it has nothing to do with that.
  const reason = !signal && lastLine ? `: ${lastLine.trim()}` : ".";
  const message = [
    `pi has ended (${signal ? `signal ${signal}` : `exit code ${exitCode}`})${reason}`,
    ...(isLost ? ["The conversation was kept in memory only and is lost."] : []),
  ];
  return new PiError(message.join(" "), { kind: "exited", ...exit, stderr });
}

/** What is asked while everything comes to its end. */
export const SHUTTING_DOWN = ended("The bridge is shutting down.");
export const RESTARTING = ended("pi is being restarted.");

function ended(message: string): PiError {
  return new PiError(message, { kind: "exited", exitCode: null, signal: null, stderr: "" });
}
