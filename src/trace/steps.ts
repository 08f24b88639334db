import { readFileSync } from "node:fs";

/**
 * A trace and a scenario are one format: JSON lines, played from top to bottom. What `--log` writes, with `time`:
 *
 *     {"start":[words]}          pi is started; what follows is this start's
 *     {"toPi":{…}}               a command. Played: the next command of this type is waited for; it may have another id
 *     {"fromPi":{…}}             a record, or a string where the line was none. Ids become those of the commands that came
 *     {"stderr":"…"}
 *     {"exit":1} {"kill":"SIGKILL"}   pi ended
 *     {"level":"…","log":"…"}    what the bridge had to say. Passed over
 *
 * What a scenario that was written by hand may have besides:
 *
 *     {"expect":{…}, "as":"p", "reply":{…}}   the next command must have these members; it is answered
 *     {"exactly":{…}, …}         the same, but it has these members and no other (an id only if it is named)
 *     {"to":"p", "reply":{…}}    answers the command that was named `p`, later
 *        reply: data (null: none)   reject: an error   bulk: data of so many bytes   none of them: no answer
 *     {"send":{…}, "times":n}    a record; `$p` in a string is the id of command `p`, `$n` is the count from 0
 *     {"raw":"…"} {"base64":"…"} these bytes; `$p` as above in `raw`
 *     {"state":{…}} {"stats":{…}}   what get_state, get_session_stats answer from here on; null: nothing
 *     {"wait":"eof"}             stdin ends, as it does anyway at the end
 *     {"stubborn":true}          from here on the end of stdin does not end this pi
 *     {"restart":true}           what follows is for the next start
 */
export type Step =
  | { start: readonly string[] }
  | { toPi: Record<string, unknown> | string }
  | { fromPi: Record<string, unknown> | string; line?: string }
  | { stderr: string }
  | { exit: number }
  | { kill: NodeJS.Signals }
  | { log: string; level: string }
  | ({ expect: PiRecord; as?: string } & Answer)
  | ({ exactly: PiRecord; as?: string } & Answer)
  | ({ to: string } & Answer)
  | { send: PiRecord; times?: number }
  | { raw: string }
  | { base64: string }
  | { state: Record<string, unknown> | null }
  | { stats: Record<string, unknown> | null }
  | { wait: "eof" }
  | { stubborn: true }
  | { restart: true };

export type PiRecord = { type: string } & Record<string, unknown>;

/** `reply`: the data of a successful response (`null`: none). `reject`: the error. `bulk`: data of so many bytes. */
export type Answer = { reply?: unknown; reject?: string; bulk?: number };

/** The questions that the bridge asks on its own, whenever it needs to; what their answers set. */
export const QUESTIONS: Readonly<Record<string, "state" | "stats">> = {
  get_state: "state",
  get_session_stats: "stats",
};

/** The ids of the commands that the bridge sends on its own. */
const OWN_ID = /^(ready|b\d+)$/;

export function isOwnQuestion({ id, type }: Record<string, unknown>): boolean {
  return typeof type === "string" && Object.hasOwn(QUESTIONS, type) && typeof id === "string" && OWN_ID.test(id);
}

/**
 * The steps of each start of the trace or scenario in FILE, in order. A last line that is cut off is left out: whoever was
 * writing it was killed.
 * @throws when the file cannot be read, or naming the line that is no step.
 */
export function readStepsOf(file: string): Step[][] {
  const text = readFileSync(file, "utf8");
  const isCut = !text.endsWith("\n") && !isJson(text.slice(text.lastIndexOf("\n") + 1));
  try {
    return readSteps(isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text);
  } catch (error) {
    throw new Error(`${file}, ${(error as Error).message}`);
  }
}

/**
 * The steps of each start, in order.
 * @throws naming the line that is none.
 */
export function readSteps(text: string): Step[][] {
  const starts: Step[][] = [[]];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const step = readStep(line, at + 1);
    if ("log" in step) continue;
    const isBegun = (starts.at(-1) ?? []).length > 0;
    if ("restart" in step || ("start" in step && isBegun)) starts.push([]);
    else if (!("start" in step)) starts.at(-1)?.push(step);
  }
  return starts.map(withoutOwnQuestions);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Every step has one of these. */
const KEYS =
  "start toPi fromPi stderr exit kill log expect exactly to send raw base64 state stats wait stubborn restart".split(
    " ",
  );

const RECORDED = /^\{"time":"[^"]*","fromPi":(\{.*\})\}$/;

function readStep(line: string, at: number): Step {
  let step: unknown;
  try {
    step = JSON.parse(line);
  } catch (error) {
    throw new Error(`line ${at} is not JSON: ${(error as Error).message}`);
  }
  if (typeof step !== "object" || step === null || Array.isArray(step))
    throw new Error(`line ${at} is not an object: ${line.slice(0, 80)}`);
  if (!Object.keys(step).some((key) => KEYS.includes(key)))
    throw new Error(`line ${at} is no step of a trace: ${line.slice(0, 80)}`);
  // Played as it was written: numbers that JavaScript cannot hold, the order of the members.
  const verbatim = RECORDED.exec(line)?.[1];
  return (verbatim === undefined ? step : { ...step, line: verbatim }) as Step;
}

/** How often the bridge asks, and when, is another matter in each run: of its questions only the answers count. */
function withoutOwnQuestions(steps: readonly Step[]): Step[] {
  const asked = new Map<unknown, string>();
  return steps.flatMap((step): Step[] => {
    if ("toPi" in step && typeof step.toPi === "object" && isOwnQuestion(step.toPi)) {
      asked.set(step.toPi.id, QUESTIONS[String(step.toPi.type)] ?? "");
      return [];
    }
    if (!("fromPi" in step) || typeof step.fromPi !== "object" || step.fromPi.type !== "response") return [step];
    const { id, data } = step.fromPi;
    const sets = asked.get(id);
    if (sets === undefined) return [step];
    return data === undefined ? [] : [{ [sets]: data } as Step];
  });
}
