/**
 * Decides what settles a message, and what happens while the agent's model refuses: its messages wait, are
 * tried again with back-off, and everybody can see why (specification/runner.md#a-model-that-refuses).
 */
import type { Evidence } from '#protocol/receipt.ts';
import type { CarriedTexts } from '../gateway/carried-texts.ts';
import type { ModelReply } from '../gateway/model-reply.rules.ts';
import type { Delivery } from './delivery.ts';
import { continueText } from './message-block.rules.ts';
import {
  type Refusal,
  refusalOf,
  refusalOfWords,
  retryDelay,
  type TurnFailure,
} from './model-refusal.rules.ts';

export interface ModelWatch {
  /** The gateway saw an exchange of the agent's conversation. */
  onReply(reply: ModelReply, carried: CarriedTexts): void;
  /** The agent's own words, see AgentEvents. */
  onOutcome(messageIds: readonly string[], failure: TurnFailure | null): void;
  onSetback(failure: TurnFailure): void;
  /** The result of a tool carried these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  /** What the gateway looks for: beginnings of messages in results of tools. */
  wantedTexts(): readonly string[];
  stop(): void;
}

export interface ModelWatchDeps {
  delivery: Pick<
    Delivery,
    | 'onEvidence'
    | 'putBack'
    | 'mayHaveReached'
    | 'isOpen'
    | 'headOf'
    | 'isProofAwaited'
    | 'carry'
    | 'hold'
    | 'tryOnce'
    | 'release'
  >;
  /** Whether a message starts a turn, whose outcome the agent reports. */
  wakes: boolean;
  /** The model refuses, again or for the first time; null: it works. */
  onRefusal(refusal: Refusal | null): void;
  now: () => number;
  random: () => number;
  /** Calls it after this time. Returns how to cancel that. */
  schedule(delayMs: number, attempt: () => void): () => void;
  log: (event: string, data?: object) => void;
}

/** An overloaded service often answers at the next attempt, which the agent makes by itself. */
const passingSetbacks = 2;
/** What results of tools carried and no exchange has proven yet. */
const maxCarried = 500;
/** Turns in a row that the agent calls complete although no exchange carried what it was given. */
const maxUnproven = 3;
const isPassing = ({ cause }: Refusal): boolean => cause === 'overloaded' || cause === 'unreachable';

export function createModelWatch(deps: ModelWatchDeps): ModelWatch {
  const { delivery, wakes, onRefusal, now, random, schedule, log } = deps;
  /** The gateway sees this agent's model, so only an exchange settles a message. */
  let seesModel = false;
  /** Refused exchanges in a row. */
  let setbacks = 0;
  /** The latest refusal of the present turn. */
  let latest: Refusal | null = null;
  let isRefusing = false;
  /** Turns in a row that settled nothing that they should have. */
  let failures = 0;
  let unproven = 0;
  /** The model answered in the present turn. */
  let hasAnswered = false;
  let cancelAttempt = (): void => undefined;
  /** How each of these messages begins. Several by one sender within a millisecond begin alike. */
  const headById = new Map<string, string>();

  function settle(ids: readonly string[], state: Evidence = 'in_context'): void {
    const open = ids.filter(delivery.isOpen);
    if (open.length > 0) delivery.onEvidence(open, state);
  }

  function showRefusal(refusal: Refusal): void {
    isRefusing = true;
    onRefusal(refusal);
  }

  function works(): void {
    [setbacks, failures, latest] = [0, 0, null];
    cancelAttempt();
    if (isRefusing) {
      isRefusing = false;
      onRefusal(null);
    }
    delivery.release();
  }

  function setBack(refusal: Refusal): void {
    latest = refusal;
    setbacks += 1;
    if (isRefusing || !isPassing(refusal) || setbacks > passingSetbacks) showRefusal(refusal);
  }

  /** These wait again, and the next attempt is due after a while. */
  function tryLater(
    messageIds: readonly string[],
    { isCutOff, isLost }: { isCutOff: boolean; isLost: boolean },
  ): void {
    failures += 1;
    delivery.hold();
    delivery.putBack(messageIds, isLost);
    const delayMs = retryDelay(failures, latest?.until, now(), random());
    log('the next attempt is scheduled', { delayMs, ids: messageIds });
    cancelAttempt();
    cancelAttempt = schedule(delayMs, () => delivery.tryOnce(isCutOff ? continueText : null));
  }

  /** The agent completed its turn, and nothing shows that its model has these. */
  function retryUnproven(open: readonly string[]): void {
    unproven = open.length === 0 ? 0 : unproven + 1;
    if (unproven === 0) return;
    if (unproven <= maxUnproven) {
      tryLater(open, { isCutOff: false, isLost: true });
      return;
    }
    log('no exchange with the model carried these messages; they are delivered again at the next start', {
      ids: open,
    });
    unproven = 0;
    delivery.release();
  }

  function headsOf(ids: readonly string[]): [string, string][] {
    return ids.flatMap((id) => {
      const head = delivery.headOf(id);
      return head === null ? [] : [[id, head] as [string, string]];
    });
  }

  return {
    onReply(reply, carried) {
      seesModel = true;
      const byTool = [...headById].flatMap(([id, head]) => (carried.texts.has(head) ? [id] : []));
      const ids = [...[...carried.ids].filter(delivery.mayHaveReached), ...byTool];
      if (!reply.isAnswered) {
        setBack(refusalOf(reply.refused, now()));
        // Only a turn that the runner began ends with an outcome.
        if (!wakes) tryLater(ids, { isCutOff: false, isLost: false });
        return;
      }
      for (const id of byTool) headById.delete(id);
      hasAnswered = true;
      settle(ids);
      works();
    },
    onOutcome(messageIds, failure) {
      const isCutOff = hasAnswered;
      hasAnswered = false;
      const taken = [...messageIds, ...headById.keys()];
      headById.clear();
      const open = taken.filter(delivery.isOpen);
      if (failure !== null && failure.kind !== 'interrupted') {
        log('the turn failed', { ...failure, ids: open });
        latest ??= refusalOfWords(failure);
        showRefusal(latest);
        tryLater(open, { isCutOff: isCutOff || open.length === 0, isLost: false });
        latest = null;
      } else if (failure === null && !seesModel) {
        settle(open);
        works();
      } else retryUnproven(open);
    },
    onSetback(failure) {
      if (!seesModel) setBack(refusalOfWords(failure));
    },
    onCarried(messageIds) {
      if (!delivery.isProofAwaited) return settle(messageIds, 'accepted');
      delivery.carry(messageIds);
      for (const [id, head] of headsOf(messageIds.filter(delivery.isOpen))) headById.set(id, head);
      for (const id of headById.keys()) if (headById.size > maxCarried) headById.delete(id);
    },
    wantedTexts: () => [...new Set(headById.values())],
    stop: () => cancelAttempt(),
  };
}
