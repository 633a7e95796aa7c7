/** The agent's and the gateway's words for what happened, as events of the delivery. Pure. */
import type { ModelReply } from '../gateway/model-reply.rules.ts';
import { refusalOf, refusalOfWords, type TurnFailure } from './model-refusal.rules.ts';
import type { Answer, ModelEvent } from './model-steps.rules.ts';

/** `now` in epoch milliseconds. */
export const answerOf = (reply: ModelReply, now: number): Answer =>
  'refused' in reply ? { kind: reply.kind, refusal: refusalOf(reply.refused, now) } : reply;

/** The end of a turn that took these messages in. */
export function outcomeOf(ids: readonly string[], failure: TurnFailure | null): ModelEvent {
  if (failure === null) return { kind: 'outcome', ids, result: { kind: 'completed' } };
  if (failure.kind === 'interrupted') return { kind: 'outcome', ids, result: { kind: 'interrupted' } };
  return {
    kind: 'outcome',
    ids,
    result: { kind: 'failed', refusal: refusalOfWords(failure), data: failure },
  };
}
