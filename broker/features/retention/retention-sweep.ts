/**
 * One run of retention over everything that is stored, as a series of short steps. Each step asks for the policy of that moment, so
 * a hold is in force from the step after it on (specification/retention.md#runs).
 */
import { limits } from '#protocol/limits.ts';
import type { RetentionPolicy } from '#protocol/retention.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ActivityRetentionUnits } from './activity-retention.sqlite.ts';
import {
  activityAgeRule,
  auditBounds,
  exemptFromSize,
  hasMessageAges,
  heldMembers,
  messageAgeRule,
} from './retention.rules.ts';
import type { MessageStep, RetentionUnits } from './retention.sqlite.ts';

export interface SweepDeps {
  units: RetentionUnits;
  activityUnits: ActivityRetentionUnits;
  policy: () => RetentionPolicy;
  clock: Clock;
  /** Called after each step that removed messages, with the newest position from which one was removed. */
  onMessagesRemoved: (floor: number) => void;
}

export interface Step {
  of: 'messages' | 'activity' | 'audit';
  removed: number;
}

const { messages, conversations, counted, activity, pieces, audit } = limits.retention.perStep;

/** `run` is the id under which both stores keep what was removed until the audit log has it. */
export async function* sweep(run: string, deps: SweepDeps): AsyncGenerator<Step> {
  yield* oldMessages(run, deps);
  yield* excessMessages(run, deps);
  yield* oldActivity(run, deps);
  yield* excessActivity(run, deps);
  yield* oldAudit(deps);
  await recordRemovals(deps);
}

async function* oldMessages(run: string, deps: SweepDeps): AsyncGenerator<Step> {
  const { units, policy, clock } = deps;
  for (let last = ''; hasMessageAges(policy()); ) {
    const found = await units.oldestPerScope({ after: last, limit: conversations });
    yield { of: 'messages', removed: 0 };
    for (const { scope, ts } of found) {
      for (let after: number | null = 0; after !== null; ) {
        const rule = messageAgeRule(policy(), scope, clock());
        if (rule === null || ts >= rule.before) break;
        const order = { run, rule: rule.name, held: heldMembers(policy()), limit: messages };
        const step: MessageStep = await units.removeOldMessages({
          ...order,
          scope,
          before: rule.before,
          after,
        });
        yield messagesRemoved(step, deps);
        after = step.next;
      }
    }
    last = found.at(-1)?.scope ?? last;
    if (found.length < conversations) return;
  }
}

function messagesRemoved({ removed, floor }: MessageStep, { onMessagesRemoved }: SweepDeps): Step {
  if (removed > 0) onMessagesRemoved(floor);
  return { of: 'messages', removed };
}

async function* excessMessages(run: string, deps: SweepDeps): AsyncGenerator<Step> {
  const { units, policy } = deps;
  const maxBytes = (): number | undefined => policy().messages?.maxBytes;
  for (let isCounted = false; maxBytes() !== undefined && !isCounted; ) {
    isCounted = await units.countMessages({ limit: counted });
    yield { of: 'messages', removed: 0 };
  }
  for (let after: number | null = 0; after !== null; ) {
    const max = maxBytes();
    if (max === undefined) return;
    const step: MessageStep = await units.removeExcessMessages({
      run,
      rule: 'messages.maxBytes',
      held: heldMembers(policy()),
      limit: messages,
      maxBytes: max,
      after,
      exempt: exemptFromSize(policy()),
    });
    yield messagesRemoved(step, deps);
    after = step.next;
  }
}

async function* oldActivity(run: string, deps: SweepDeps): AsyncGenerator<Step> {
  const { activityUnits, policy, clock } = deps;
  for (let after: number | null = 0; after !== null; ) {
    const now = clock();
    const rule = activityAgeRule(policy(), now);
    if (rule === null) return;
    const { name, before } = rule;
    const order = { run, rule: name, held: heldMembers(policy()), limit: activity };
    const step = await activityUnits.removeOldActivity({ ...order, before, now, after });
    yield { of: 'activity', removed: step.removed };
    yield* loosePieces(deps);
    after = step.next;
  }
}

async function* excessActivity(run: string, deps: SweepDeps): AsyncGenerator<Step> {
  const { activityUnits, policy } = deps;
  // A run that was cut off may have left some, which would count as excess.
  if (policy().activity?.maxBytes !== undefined) yield* loosePieces(deps);
  for (let after: number | null = 0; after !== null; ) {
    const maxBytes = policy().activity?.maxBytes;
    if (maxBytes === undefined) return;
    const order = { run, rule: 'activity.maxBytes', held: heldMembers(policy()), limit: activity };
    const step = await activityUnits.removeExcessActivity({ ...order, maxBytes, after });
    yield { of: 'activity', removed: step.removed };
    // The pieces that rows shared are most of their size, so they go before the next measurement.
    yield* loosePieces(deps);
    after = step.next;
  }
}

async function* loosePieces({ activityUnits }: SweepDeps): AsyncGenerator<Step> {
  for (let isDone = false; !isDone; ) {
    isDone = await activityUnits.removeLoosePieces({ limit: pieces });
    if (!isDone) yield { of: 'activity', removed: 0 };
  }
}

async function* oldAudit({ units, policy, clock }: SweepDeps): AsyncGenerator<Step> {
  for (let removed = 1; removed > 0; ) {
    const bounds = auditBounds(policy(), clock());
    if (bounds === null) return;
    removed = await units.pruneAudit({ ...bounds, limit: audit, at: clock() });
    yield { of: 'audit', removed };
  }
}

/** Records what was removed in the audit log, also by an earlier run that a crash cut off. Repeating it changes nothing. */
export async function recordRemovals({
  units,
  activityUnits,
  clock,
}: Pick<SweepDeps, 'units' | 'activityUnits' | 'clock'>): Promise<void> {
  await units.recordRemovals({ at: clock() });
  const removals = await activityUnits.activityRemovals();
  if (removals.length > 0) {
    await units.recordActivityRemovals({ at: clock(), removals });
    await activityUnits.forgetActivityRemovals({ removals });
    await units.forgetRecorded({ removals });
  }
}
