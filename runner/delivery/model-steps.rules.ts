/**
 * The steps that settle a message, and those while the agent's model refuses or breaks off: the part of the delivery
 * that follows the turns of the model (specification/runner.md#a-model-that-refuses). Pure.
 */
import type { Evidence } from '#protocol/receipt.ts';
import { away, evidence, putBack, withEntries } from './delivery-queue.rules.ts';
import { andThen, type DeliveryState, type Effect, isOpen, type Step, stay } from './delivery-state.rules.ts';
import type { Refusal } from './model-refusal.rules.ts';

/**
 * How an exchange of the agent's conversation ended. `partial`: its answer began, and nothing says why its end was not
 * seen. `broken`: its answer began, and the model or the connection failed.
 */
export type Answer = { kind: 'complete' | 'partial' } | { kind: 'broken' | 'refused'; refusal: Refusal };

export type ModelEvent =
  /** `ids`: the messages in its request that the agent may have got. `turn`: how many turns had ended when it began. */
  | { kind: 'reply'; answer: Answer; ids: readonly string[]; turn: number }
  /** The agent's own words for the end of a turn. `refusal`: why it was not completed. */
  | {
      kind: 'outcome';
      ids: readonly string[];
      result: { kind: 'completed' | 'interrupted' } | { kind: 'failed'; refusal: Refusal; data: object };
    }
  /** The agent says that its model refused, and that it tries again by itself in the same turn. */
  | { kind: 'setback'; refusal: Refusal }
  /** The result of a tool carried these to the agent. */
  | { kind: 'carried'; ids: readonly string[] }
  | { kind: 'attempt due' };

/** An overloaded service often answers at the next attempt, which the agent makes by itself. */
const passingSetbacks = 2;
const maxCarried = 500;
/** Turns in a row without proof, after which the messages are left to the next start. */
const maxUnproven = 3;
const isPassing = ({ cause }: Refusal): boolean => cause === 'overloaded' || cause === 'unreachable';

function settle(state: DeliveryState, ids: readonly string[], kind: Evidence = 'in_context'): Step {
  const open = ids.filter((id) => isOpen(state, id));
  return open.length === 0 ? stay(state) : evidence(state, open, kind);
}

const showRefusal = (state: DeliveryState, refusal: Refusal): Step =>
  stay({ ...state, isRefusing: true }, { kind: 'refusal', refusal });

function setBack(state: DeliveryState, refusal: Refusal): Step {
  const setbacks = state.setbacks + 1;
  const next = { ...state, latest: refusal, setbacks };
  const isShown = state.isRefusing || !isPassing(refusal) || setbacks > passingSetbacks;
  return isShown ? showRefusal(next, refusal) : stay(next);
}

/** The model answered, and everything may be brought to it. */
function works(state: DeliveryState): Step {
  const effects: Effect[] = state.isRefusing ? [{ kind: 'refusal', refusal: null }] : [];
  return stay({ ...state, setbacks: 0, latest: null, isRefusing: false, gate: 'open' }, ...effects);
}

/** It completed a turn. */
function worksAgain(state: DeliveryState): Step {
  const cancel: Effect[] = state.isAttemptDue ? [{ kind: 'cancel' }] : [];
  return andThen(works(state), (next) =>
    stay(
      {
        ...next,
        failures: 0,
        unprovenTurns: 0,
        unproven: [],
        isAttemptDue: false,
        owed: null,
        isToldToContinue: false,
      },
      ...cancel,
    ),
  );
}

/**
 * These wait again, and the next attempt is due after a while. The agent's own attempts count if answers broke off in
 * them, because each cost the whole context.
 */
function tryLater(state: DeliveryState, ids: readonly string[], isLost: boolean): Step {
  const failures = Math.max(state.failures + 1, state.broken);
  const waiting = putBack({ ...state, failures, broken: 0, gate: 'closed', isAttemptDue: true }, ids, isLost);
  return stay(waiting, { kind: 'schedule', failures, until: state.latest?.until, ids });
}

/** An exchange that began in an earlier turn proves what it carried, and cancels no attempt after a turn that failed. */
function onLateReply(state: DeliveryState, { kind }: Answer): Step {
  if (kind === 'refused') return stay(state);
  const failures = state.failures + (kind === 'broken' ? 1 : 0);
  if (state.owed !== null) return stay({ ...state, failures, owed: { isContinuation: true } });
  const isMoot = state.unproven.length > 0 && !state.unproven.some((id) => isOpen(state, id));
  return isMoot ? worksAgain(state) : stay({ ...state, failures });
}

function onReply(state: DeliveryState, { answer, ids, turn }: Extract<ModelEvent, { kind: 'reply' }>): Step {
  const seen = { ...state, seesModel: true };
  const settled = answer.kind === 'refused' ? stay(seen) : settle(withoutCarried(seen, ids), ids);
  return andThen(settled, (next) =>
    turn < state.turn ? onLateReply(next, answer) : onPresentReply(next, answer, ids),
  );
}

const withoutCarried = (state: DeliveryState, ids: readonly string[]): DeliveryState => ({
  ...state,
  carried: state.carried.filter((id) => !ids.includes(id)),
});

function onPresentReply(state: DeliveryState, answer: Answer, ids: readonly string[]): Step {
  const broken = state.broken + (answer.kind === 'broken' ? 1 : 0);
  const next = { ...state, broken, hasAnswered: state.hasAnswered || answer.kind !== 'refused' };
  if (answer.kind === 'partial') return stay(next);
  if (answer.kind === 'broken' || answer.kind === 'refused') {
    const failed = setBack(next, answer.refusal);
    // Only a turn that the runner began ends with an outcome.
    return state.brings ? failed : andThen(failed, (one) => tryLater(one, ids, false));
  }
  if (!state.brings) return worksAgain(next);
  // The attempt after a turn that failed is made in any case.
  return state.isAttemptDue ? stay(next) : works(next);
}

/** The agent completed its turn, and nothing shows that its model has these. */
function retryUnproven(state: DeliveryState, open: readonly string[]): Step {
  const unprovenTurns = state.unprovenTurns + 1;
  if (unprovenTurns <= maxUnproven) return tryLater({ ...state, unprovenTurns, unproven: open }, open, true);
  const event =
    'no exchange with the model carried these messages; they are delivered again at the next start';
  return stay({ ...state, unprovenTurns: 0, gate: 'open' }, { kind: 'log', event, data: { ids: open } });
}

function onOutcome(state: DeliveryState, { ids, result }: Extract<ModelEvent, { kind: 'outcome' }>): Step {
  const open = [...ids, ...state.carried].filter((id) => isOpen(state, id));
  const turn = state.turn + 1;
  const ended = { ...state, turn, hasAnswered: false, carried: [], unproven: [], owed: null };
  if (result.kind === 'failed') {
    const latest = ended.latest ?? result.refusal;
    const owed = { isContinuation: state.hasAnswered || open.length === 0 };
    const log: Effect = { kind: 'log', event: 'the turn failed', data: { ...result.data, ids: open } };
    const shown = showRefusal({ ...ended, latest, owed }, latest);
    return andThen(
      andThen(stay(ended, log), () => shown),
      (next) => andThen(tryLater(next, open, false), (later) => stay({ ...later, latest: null })),
    );
  }
  const quiet = { ...ended, broken: 0 };
  if (result.kind === 'completed' && !state.seesModel) return andThen(settle(quiet, open), worksAgain);
  if (open.length > 0) return retryUnproven(quiet, open);
  return result.kind === 'completed'
    ? worksAgain(quiet)
    : stay({ ...quiet, gate: state.isAttemptDue ? 'closed' : 'open' });
}

function onCarried(state: DeliveryState, ids: readonly string[]): Step {
  if (!state.isProofAwaited) return settle(state, ids, 'accepted');
  const open = ids.filter((id) => isOpen(state, id));
  return stay({
    ...withEntries(state, ids, away),
    carried: [...new Set([...state.carried, ...open])].slice(-maxCarried),
  });
}

export function modelStep(state: DeliveryState, event: ModelEvent): Step {
  switch (event.kind) {
    case 'reply':
      return onReply(state, event);
    case 'outcome':
      return onOutcome(state, event);
    case 'setback':
      return state.seesModel ? stay(state) : setBack(state, event.refusal);
    case 'carried':
      return onCarried(state, event.ids);
    case 'attempt due':
      return stay(state.isAttemptDue ? { ...state, isAttemptDue: false, gate: 'one' } : state);
  }
}
