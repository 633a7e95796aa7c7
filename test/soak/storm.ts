/**
 * A storm: many members act at the same time while faults happen. Each one repeats what was not answered, as
 * a careful client does. The steps of a storm do not depend on each other, so that the model can take them
 * afterwards, in the order in which the broker accepted them.
 */
import type { SeededRandom } from '../crash/seeded-random.ts';
import { type Answer, type DayBroker, messageOf, type RequestedStep } from '../day/day-broker.ts';
import { nextStep } from '../day/day-script.ts';
import { type Day, reads } from '../day/day-state.ts';
import { take } from '../day/day-step.ts';
import { demandOutcome } from '../day/play.ts';
import { isAgent } from './soak-team.ts';

type StormKind = 'push' | 'discuss' | 'write' | 'read' | 'evidence';
export type StormStep = Extract<RequestedStep, { kind: StormKind }>;

/** How often each kind comes, of the kinds of the day's script. */
const mix = {
  broadcast: 2,
  direct: 6,
  channelPost: 8,
  discuss: 6,
  write: 4,
  read: 4,
  evidence: 3,
} as const;
const kinds = Object.entries(mix).flatMap(([kind, count]) =>
  Array<keyof typeof mix>(count).fill(kind as keyof typeof mix),
);

/** More posts of two agents in a minute could be held (ADR 0024); the clock goes on between two storms. */
const maxPostsPerAgent = 8;
/** Prevents an endless wait. */
const answerMs = 300_000;
const againMs = 50;
const maxPauseMs = 200;

const isFlood = (step: StormStep): boolean => step.kind === 'push' && step.padding !== undefined;

const isStormStep = (step: { kind: string }): step is StormStep =>
  ['push', 'discuss', 'write', 'read', 'evidence'].includes(step.kind);

/** Up to `count` steps; each file is in one step only. */
export function planStorm(
  day: Day,
  random: SeededRandom,
  count: number,
  nextNumber: () => number,
): StormStep[] {
  const steps: StormStep[] = [];
  const written = new Set<string>();
  const attached = new Set<string>();
  const postsByAgent = new Map<string, number>();

  function isAlone(step: StormStep): boolean {
    if (step.kind === 'write') {
      if (written.has(step.path) || attached.has(step.path)) return false;
      written.add(step.path);
    }
    if (step.kind === 'push' || step.kind === 'discuss') {
      if (step.attachments.some((path) => written.has(path))) return false;
      for (const path of step.attachments) attached.add(path);
    }
    return true;
  }

  function caused(step: StormStep): StormStep | null {
    if (step.kind !== 'push' || !isAgent(step.by)) return step;
    const posts = (postsByAgent.get(step.by) ?? 0) + 1;
    if (posts > maxPostsPerAgent) return null;
    postsByAgent.set(step.by, posts);
    const recent = day.posts.slice(-50).filter(({ scope }) => reads(day, step.by, scope));
    return { ...step, causes: recent.length === 0 ? [] : [random.pick(recent).label] };
  }

  for (let tries = 0; tries < count; tries++) {
    const step = nextStep(day, random.pick(kinds), random, nextNumber());
    if (step === null || !isStormStep(step) || !isAlone(step)) continue;
    // A write that is repeated after a lost reply must not create a second file.
    const ready = caused(step.kind === 'write' ? { ...step, collide: 'overwrite' } : step);
    if (ready !== null) steps.push(ready);
  }
  return steps;
}

export interface StormFaults {
  /** The broker is killed: what was not answered is repeated. */
  isKilled: boolean;
  /** The disk is full for a while: 503 is an answer. */
  isFull: boolean;
}

export interface StormCounts {
  repeated: number;
  /** Answers of 503, and how many of these steps were given up. */
  unavailable: number;
  givenUp: number;
  /** Connections that ended although the broker was not killed. */
  broken: number;
}

export interface AnsweredStep {
  step: StormStep;
  /** Null for a step that was given up after its first answer, 503: it must not have happened. */
  answer: Answer | null;
  /** The id that the request named, for a step about a message that existed before; null for other steps. */
  messageId: string | null;
}

/** Ends early when `signal` is aborted. @throws Error that names a step that was not answered. */
export async function runStorm(
  broker: DayBroker,
  steps: readonly StormStep[],
  random: SeededRandom,
  faults: StormFaults,
  counts: StormCounts,
  signal: AbortSignal,
): Promise<AnsweredStep[]> {
  const answered: AnsweredStep[] = [];
  const decided = steps.map((step) => ({
    step,
    givesUp: random.chance(0.3),
    // Members do not flood, so that the storm lasts as long as the faults.
    pauseMs: isFlood(step) ? 0 : random.below(maxPauseMs),
  }));

  async function insist(step: StormStep, givesUp: boolean): Promise<Answer | null> {
    const key = 'label' in step && step.kind !== 'evidence' ? `key-${step.label}` : undefined;
    const until = Date.now() + answerMs;
    let broken = 0;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const answer = await answerOf(broker, step, key, until);
      if (answer === null) {
        if (!faults.isKilled && ++broken > 1) throw new Error(`not answered: ${JSON.stringify(step)}`);
        if (!faults.isKilled) counts.broken += 1;
      } else if (answer.status !== 503 || !faults.isFull) return answer;
      else {
        counts.unavailable += 1;
        if (attempt === 1 && givesUp) return null;
      }
      counts.repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  async function act(own: typeof decided): Promise<void> {
    for (const { step, givesUp, pauseMs } of own) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const answer = await insist(step, givesUp);
      if (answer === null) counts.givenUp += 1;
      if (answer?.body?.held !== undefined) throw new Error(`held: ${JSON.stringify(step)}`);
      const message = answer && messageOf(step, answer);
      if (message !== null) broker.labelOf(message);
      answered.push({ step, answer, messageId: namedMessage(broker, step) });
    }
  }
  await Promise.all([...Map.groupBy(decided, ({ step }) => step.by).values()].map(act));
  return answered;
}

/** An id of zeros stands for an id that the test never learned. */
function namedMessage(broker: DayBroker, step: StormStep): string | null {
  if (step.kind === 'read') return broker.messageId(step.upTo);
  return step.kind === 'evidence' ? broker.messageId(step.label) : null;
}

/** Null if the connection ended. @throws Error if there is no answer in time. */
async function answerOf(
  broker: DayBroker,
  step: StormStep,
  key: string | undefined,
  until: number,
): Promise<Answer | null> {
  let overdue: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`not answered in time: ${JSON.stringify(step)}`));
    overdue = setTimeout(fail, Math.max(0, until - Date.now()));
  });
  try {
    return await Promise.race([broker.attempt(step, key).catch(() => null), late]);
  } finally {
    clearTimeout(overdue);
  }
}

/** The model takes what happened. @throws Error if the broker answered otherwise than the model. */
export function takeStorm(day: Day, answered: readonly AnsweredStep[]): void {
  const happened = answered.flatMap((one) => (one.answer === null ? [] : [{ ...one, answer: one.answer }]));
  const idOf = ({ step, answer }: (typeof happened)[number]) => messageOf(step, answer)?.id ?? '';
  const others = happened.filter((one) => idOf(one) === '');
  const posts = happened.filter((one) => idOf(one) !== '').sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  for (const { step, answer, messageId } of [...others, ...posts]) {
    const { status, body } = answer;
    const outcome = step.kind === 'write' && status === 200 ? { status, path: body.entry.path } : { status };
    try {
      demandOutcome(outcome, take(day, step));
    } catch (error) {
      const facts = [
        `${JSON.stringify(step)}: ${(error as Error).message}`,
        ...(status >= 400 ? [`The body of the answer is ${JSON.stringify(body)}.`] : []),
        ...(messageId === null ? [] : [`The request named the message "${messageId}".`]),
      ];
      throw new Error(facts.join('\n'), { cause: error });
    }
  }
}
