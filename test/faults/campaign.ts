import { setTimeout as moment } from "node:timers/promises";
import type { Pi } from "../support/pis.ts";
import { isRunning } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { Conversation, poll } from "./conversation.ts";
import { type Fault, type FaultName, faults } from "./kinds.ts";
import type { Ledger } from "./ledger.ts";
import { type StageName, stages } from "./stages.ts";

export interface Point {
  stage: StageName;
  fault: FaultName;
}

/** A fault may come at any moment of its stage. The seed says when, so this is no wait for anything. */
const WITHIN_MS = { start: 1000, replacement: 300 } as Partial<Record<StageName, number>>;
const WITHIN_OTHERS_MS = 60;
/** pi is given more and more time to come back; a conversation with many deaths would wait for most of it. */
const DEATHS_A_CONVERSATION = 2;
const FAULTS_A_CONVERSATION = 4;

/**
 * Every stage with every fault, in an order that the seed decides, again and again. The first ones have each fault, and
 * pi's sudden death in every stage.
 */
export function plan(count: number, seed: number): Point[] {
  const rounds: Point[][] = [];
  for (let planned = 0; planned < count; planned += rounds.at(-1)?.length ?? 0) {
    const random = new Random(seed + rounds.length);
    const all = Object.keys(stages).flatMap((stage) => Object.keys(faults).map((fault) => ({ stage, fault }) as Point));
    const shuffled = random.shuffled(all);
    const isFirst = (point: Point) =>
      point.fault === "kill -9 pi" || shuffled.find(({ fault }) => fault === point.fault) === point;
    const first = shuffled.filter(isFirst);
    rounds.push([...random.shuffled(first), ...shuffled.filter((point) => !first.includes(point))]);
  }
  return rounds.flat().slice(0, count);
}

/** The points of one conversation each: some that the bridge survives, then one that it does not. */
export function conversations(points: readonly Point[]): Point[][] {
  const result: Point[][] = [];
  let current: Point[] = [];
  for (const point of points) {
    current.push(point);
    const deaths = current.filter(({ fault }) => "endsPi" in faults[fault]).length;
    if (
      faults[point.fault].bridge === "lives" &&
      deaths < DEATHS_A_CONVERSATION &&
      current.length < FAULTS_A_CONVERSATION
    )
      continue;
    result.push(current);
    current = [];
  }
  return current.length > 0 ? [...result, current] : result;
}

/** One fault in its conversation. */
interface Trial {
  conversation: Conversation;
  ledger: Ledger;
  where: string;
}

export async function runConversation(pi: Pi, points: readonly Point[], seed: number, ledger: Ledger): Promise<void> {
  const random = new Random(seed);
  const conversation = new Conversation(pi);
  const trial: Trial = { conversation, ledger, where: "initialize" };
  try {
    await conversation.initialize();
    for (const [at, point] of points.entries()) {
      trial.where = `${point.fault} during ${point.stage} (seed ${seed}, fault ${at + 1})`;
      await stages[point.stage](conversation, random);
      await moment(random.below(WITHIN_MS[point.stage] ?? WITHIN_OTHERS_MS));
      ledger.add(point.fault);
      await injectAndCheck(trial, faults[point.fault], random);
    }
    if (points.every(({ fault }) => faults[fault].bridge === "lives")) {
      trial.where = `the end (seed ${seed})`;
      await conversation.editor.call("shutdown");
      conversation.editor.notify("exit");
      await checkEnd(trial, true);
    }
  } catch (error) {
    ledger.failed(trial.where, error);
  } finally {
    await conversation.clear();
  }
}

async function injectAndCheck(trial: Trial, fault: Fault, random: Random): Promise<void> {
  const { conversation, ledger, where } = trial;
  const { piPid, host } = conversation;
  const ofPi = conversation.processes().flatMap(({ pid }) => (pid === host.pid || pid === host.bridgePid ? [] : [pid]));
  const since = performance.now();
  await fault.inject(conversation, random);
  if (fault.bridge !== "lives") return checkEnd(trial, fault.bridge === "answers", since);
  if (fault.endsPi) {
    const cleared = checkCleared(trial, ofPi, since);
    await poll(() => !isRunning(piPid) || undefined);
    while ("error" in (await conversation.editor.request("pi/get_state")));
    ledger.restarted(performance.now() - since);
    await cleared;
    ledger.found("open dialogs", conversation.openDialogs(), where);
  } else {
    conversation.answerDialogs();
    for (const stop of ["pi/clear_queue", "pi/abort", "pi/abort_bash"]) conversation.ask(stop);
  }
  await checkAnswers(trial);
  const from = conversation.editor.received.length;
  const next = await conversation.prompt("pace: 0");
  if ("error" in next) throw new Error(`the next prompt failed: ${JSON.stringify(next.error)}`);
  await conversation.editor.until("pi/agent_settled", from);
  ledger.found("lost prompts", await conversation.lostPrompts(true), where);
}

async function checkEnd(trial: Trial, answers: boolean, since = performance.now()): Promise<void> {
  const { conversation, ledger, where } = trial;
  await checkCleared(trial, undefined, since);
  if (answers) {
    await conversation.host.ended;
    await checkAnswers(trial);
    ledger.found("open dialogs", conversation.openDialogs(), where);
  }
  ledger.found("lost prompts", await conversation.lostPrompts(answers), where);
}

async function checkCleared({ conversation, ledger, where }: Trial, pids: number[] | undefined, since: number) {
  ledger.found("orphans", await conversation.left(pids), where);
  ledger.cleared(performance.now() - since);
}

/** Every request has had its one answer, or has it soon. */
async function checkAnswers({ conversation, ledger, where }: Trial): Promise<void> {
  const wrong = () => conversation.requests.filter((request) => conversation.answersTo(request) !== 1);
  await poll(() => wrong().length === 0 || undefined);
  const found = wrong().map((request) => `${request.id} has ${conversation.answersTo(request)} answers`);
  ledger.found("unanswered requests", found, where);
}
