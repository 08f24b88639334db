import { PiError } from "./error.ts";
import type { Exit } from "./process.ts";

/** Why a pi that could be run did not become ready. */
export function startFailure(
  words: readonly string[],
  end: Exit | { startTimeoutMs: number },
  stderr: string,
): PiError {
  const command = [...words];
  const said = stderr ? { stderr } : {};
  if ("startTimeoutMs" in end) {
    return new PiError(`pi did not answer within ${end.startTimeoutMs} ms of its start.`, {
      kind: "unavailable",
      reason: "timeout",
      hint: "Raise the option `startTimeoutMs` if pi is slow here (a remote host, many packages), or run the command in a terminal.",
      command,
      ...said,
    });
  }
  const code = { ...(end.exitCode !== null && { exitCode: end.exitCode }), ...(end.signal && { signal: end.signal }) };
  const node = /^Node\.js v(\d+)\.\S+/m.exec(stderr);
  if (node && Number(node[1]) < 22) {
    return new PiError(`pi cannot run under ${node[0]}; it needs Node 22.19 or newer.`, {
      kind: "unavailable",
      reason: "node_too_old",
      hint: "Install a newer Node, or put it first on the PATH that the editor was started with.",
      command,
      ...code,
      ...said,
    });
  }
  if (end.exitCode === 0) {
    return new PiError("pi ended before it was ready, without an error.", {
      kind: "unavailable",
      reason: "exited_before_ready",
      hint:
        "An extension that opens a dialog in its session_start handler does this: pi reads no answers yet, and ends. " +
        "Start pi with --no-extensions to find out. A command or arguments that print something and end do it too.",
      command,
      ...code,
      ...said,
    });
  }
  const how = end.signal ? `signal ${end.signal}` : `exit code ${end.exitCode}`;
  const reason = reasonIn(stderr);
  return new PiError(`pi ended at its start (${how})${reason ? `: ${reason}` : "."}`, {
    kind: "unavailable",
    reason: "exited",
    hint: "Run the command in a terminal to see all that it says.",
    command,
    ...code,
    ...said,
  });
}

/** The line that tells most: the error of a stack trace, where there is one, else the last. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split("\n").flatMap((line) => line.trim() || []);
  const error = /^(Uncaught )?([A-Z]\w*)?Error\b.*: /;
  const isTrace = lines.some((line) => line.startsWith("at ")) || /^Node\.js v\d/.test(lines.at(-1) ?? "");
  return (isTrace ? lines.find((line) => error.test(line)) : undefined) ?? lines.at(-1);
}
