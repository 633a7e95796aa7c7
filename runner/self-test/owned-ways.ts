/** The ways to the model of an agent whose input the runner controls: it is woken, calls a tool, and is steered. */
import { setTimeout as pause } from 'node:timers/promises';
import { AgentError } from '../agents/agent.ts';
import { createTestMessage } from './test-message.ts';
import { OutOfTime, type TimeLimit } from './time-limit.ts';
import type { Trial } from './trial.ts';
import {
  isSlow,
  type SelfTestResult,
  startOutOfTime,
  steerResult,
  toolsResult,
  wakeResult,
} from './way.rules.ts';

/** Claude Code does not say when it has read a message for the turn under way. */
const readingMs = 200;

export interface OwnedResults {
  results: SelfTestResult[];
  /** The model took long for its first answer. */
  isSlow: boolean;
}

/** @throws AgentError if the agent cannot be started. */
export async function tryOwnedWays(
  trial: Trial,
  { canSteer, limit }: { canSteer: boolean; limit: TimeLimit },
): Promise<OwnedResults> {
  const { agent, seen, bridge } = trial;
  const woken = createTestMessage(bridge.task);
  const steered = createTestMessage('Answer with only: ok');
  for (const message of [woken, steered]) seen.expect(message);
  try {
    await limit.within(agent.start());
  } catch (error) {
    if (error instanceof OutOfTime) return { results: [startOutOfTime(limit.totalMs)], isSlow: false };
    throw error;
  }
  const isLost = (): boolean => seen.refusal !== null || seen.exit !== null;
  // A run also waits until the agent has its tools, but an agent that never asks for them is tested as well.
  await Promise.race([
    seen.until(() => bridge.isListed || isLost()),
    pause(limit.totalMs / 2, undefined, { ref: false }),
  ]);
  const wokenAt = performance.now();
  let steeredAt: number | null = null;
  let problem: string | null = null;
  try {
    await limit.within(agent.wake(woken));
    const isTurnOver = (): boolean => seen.turns > 0 && seen.isIdle;
    await seen.until(() => bridge.calledAt !== null || isTurnOver() || isLost());
    if (canSteer && bridge.calledAt !== null) {
      // The turn stays open until the tool answers.
      steeredAt = performance.now();
      await limit.within(agent.steer(steered).then(() => pause(readingMs)));
    }
    bridge.release();
    const isAllProven = (): boolean =>
      seen.proofOf(woken.id) !== null && (steeredAt === null || seen.proofOf(steered.id) !== null);
    await seen.until(
      () => isLost() || (seen.isIdle && isAllProven()) || (steeredAt === null && isTurnOver()),
    );
  } catch (error) {
    if (error instanceof AgentError) problem = error.message;
    else if (!(error instanceof OutOfTime)) throw error;
  }
  const wake = seen.proofOf(woken.id);
  const evidence = {
    ...trial.evidence(),
    problem,
    wokenAt,
    wake,
    isSlow: isSlow(wokenAt, wake),
    isInitialized: bridge.isInitialized,
    isListed: bridge.isListed,
    calledAt: bridge.calledAt,
    steeredAt,
    steer: seen.proofOf(steered.id),
    isObserved: trial.isObserved,
  };
  const results = [wakeResult(evidence), toolsResult(evidence), ...(canSteer ? [steerResult(evidence)] : [])];
  return { results, isSlow: evidence.isSlow };
}
