/** The ways to the model of an agent in a terminal: its hooks, as far as they run without one. */
import type { AgentHooks, HookMoment } from '../agents/agent-hooks.ts';
import type { Handover } from '../bridge/bridge-server.ts';
import { createTestMessage, type TestMessage } from './test-message.ts';
import { OutOfTime, type TimeLimit } from './time-limit.ts';
import type { Trial } from './trial.ts';
import { hookResult, type SelfTestResult, testedMoments } from './way.rules.ts';

/** One message per moment, and when its hook asked. */
export interface HookMessages {
  handOver(moment: HookMoment): Handover | null;
  messageAt(moment: HookMoment): TestMessage | null;
  askedAt(moment: HookMoment): number | null;
}

export function createHookMessages(hooks: AgentHooks): HookMessages {
  const messages = new Map<HookMoment, TestMessage>(
    testedMoments.map((moment) => [moment, createTestMessage('Answer with only: ok')]),
  );
  const askedAt = new Map<HookMoment, number>();
  return {
    handOver(moment) {
      const message = messages.get(moment);
      if (moment === 'wake' || moment === 'failed' || message === undefined || askedAt.has(moment))
        return null;
      askedAt.set(moment, performance.now());
      const texts = { text: message.text, shown: 'muster doctor tests the connection' };
      return { answer: hooks.answer(moment, texts), finish: () => undefined };
    },
    messageAt: (moment) => messages.get(moment) ?? null,
    askedAt: (moment) => askedAt.get(moment) ?? null,
  };
}

/** @throws AgentError if the agent cannot be started. */
export async function tryHookWays(
  trial: Trial,
  { messages, limit, isSlow }: { messages: HookMessages; limit: TimeLimit; isSlow: boolean },
): Promise<SelfTestResult[]> {
  const { agent, seen, bridge } = trial;
  const proofAt = (moment: HookMoment) => {
    const message = messages.messageAt(moment);
    return message === null ? null : seen.proofOf(message.id);
  };
  for (const moment of testedMoments) {
    const message = messages.messageAt(moment);
    if (message !== null) seen.expect(message);
  }
  bridge.release();
  try {
    await limit.within(agent.start());
    const isAllProven = (): boolean => testedMoments.every((moment) => proofAt(moment) !== null);
    await seen.until(() => seen.refusal !== null || isAllProven() || (seen.exit !== null && seen.isIdle));
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
  }
  return testedMoments.map((moment) =>
    hookResult(moment, {
      ...trial.evidence(),
      isSlow,
      askedAt: messages.askedAt(moment),
      proof: proofAt(moment),
      hasCalled: bridge.calledAt !== null,
    }),
  );
}
