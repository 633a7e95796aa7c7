/**
 * The life of an objective: state and move in, next state and audit events out, or a refusal
 * (specification/objectives.md#states). Pure: who is a member, and what time it is, are arguments.
 */
import { isAllowed, type Leaf, type Rule } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import type { Objective, ObjectiveEventBody } from '#protocol/objective.ts';
import { objectiveRules, relationsToObjective } from '#protocol/objective-access.ts';

export interface Mover {
  name: string;
  permissions: readonly Leaf[];
}

export interface Change {
  objective: Objective;
  /** The events to append to the audit log; empty if nothing changed. */
  events: ObjectiveEventBody[];
}

/** A move on an existing objective. */
export type Move =
  | { kind: 'update'; status: 'active' | 'blocked' | null; blockReason: string | null }
  | { kind: 'complete'; result: string }
  | { kind: 'cancel'; reason: string | null }
  | { kind: 'reassign'; to: string; note: string | null }
  | { kind: 'watchers'; add: readonly string[]; remove: readonly string[] };

export interface Surroundings {
  /** The names in the request that are not members. */
  unknown: readonly string[];
  /** Epoch ms. */
  now: number;
}

export interface Draft {
  id: Objective['id'];
  title: string;
  outcome: string;
  body: string;
  assignee: string;
  originator: string;
  watchers: readonly string[];
  attachments: readonly string[];
}

export const isTerminal = ({ status }: Pick<Objective, 'status'>): boolean =>
  status === 'done' || status === 'cancelled';

/** @throws BrokerError forbidden. */
export function authorize(rule: Rule, objective: Objective, mover: Mover): void {
  if (isAllowed(rule, mover.permissions, relationsToObjective(objective, { ...mover, member: mover.name })))
    return;
  refuse('missing_right', { needs: rule.map(spoken).join(' or ') });
}

const spoken = (need: Rule[number]): string =>
  need === 'assignee' || need === 'originator' ? `the objective’s ${need}` : need;

function refuseUnknown(
  role: 'assignee' | 'watcher',
  names: readonly string[],
  unknown: readonly string[],
): void {
  const strangers = [...new Set(names)].filter((name) => unknown.includes(name));
  if (strangers.length > 0) refuse('unknown_participant', { role, names: strangers });
}

/** The assignee is in the thread anyway and is not a watcher (specification/objectives.md#watchers). */
const watchersFor = (assignee: string, names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== assignee);

/** @throws BrokerError bad_request for an assignee or watcher who is not a member. */
export function create(draft: Draft, { unknown, now }: Surroundings): Change {
  refuseUnknown('assignee', [draft.assignee], unknown);
  refuseUnknown('watcher', draft.watchers, unknown);
  const { title, outcome, assignee } = draft;
  const watchers = watchersFor(assignee, draft.watchers);
  return {
    objective: {
      ...draft,
      status: 'active',
      watchers,
      attachments: [...new Set(draft.attachments)],
      blockReason: null,
      result: null,
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    },
    events: [{ kind: 'assigned', payload: { assignee, title, outcome, watchers } }],
  };
}

/**
 * Terminal objectives accept no move; canceling or reassigning a done one is gone instead of a conflict
 * (specification/objectives.md#states).
 */
function refuseTerminal({ status }: Objective, { kind }: Move): void {
  if (status === 'done' && (kind === 'cancel' || kind === 'reassign')) refuse('objective_done');
  if (status === 'done' || status === 'cancelled') refuse('objective_ended', { status });
}

/**
 * Decides a move: whether this member may make it, whether the state allows it, and whether its content fits,
 * in this order. @throws BrokerError.
 */
export function decide(objective: Objective, move: Move, mover: Mover, around: Surroundings): Change {
  authorize(objectiveRules[move.kind], objective, mover);
  refuseTerminal(objective, move);
  switch (move.kind) {
    case 'update':
      return update(objective, move, around);
    case 'complete':
      return complete(objective, move, around);
    case 'cancel':
      return cancel(objective, move, around);
    case 'reassign':
      return reassign(objective, move, around);
    case 'watchers':
      return changeWatchers(objective, move, around);
  }
}

type MoveOf<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>;

const unchanged = (objective: Objective): Change => ({ objective, events: [] });

function block(objective: Objective, reason: string, now: number): Change {
  return {
    objective: { ...objective, status: 'blocked', blockReason: reason, updatedAt: now },
    events: [{ kind: 'blocked', payload: { reason } }],
  };
}

/** The present status again is no event; another reason is one. */
function update(
  objective: Objective,
  { status, blockReason }: MoveOf<'update'>,
  { now }: Surroundings,
): Change {
  if (status === 'active') {
    if (objective.status === 'active') return unchanged(objective);
    return {
      objective: { ...objective, status: 'active', blockReason: null, updatedAt: now },
      events: [{ kind: 'unblocked', payload: {} }],
    };
  }
  if (blockReason === null) refuse(status === null ? 'objective_change_empty' : 'block_reason_missing');
  if (status === null && objective.status !== 'blocked') refuse('objective_not_blocked');
  if (objective.status === 'blocked' && objective.blockReason === blockReason) return unchanged(objective);
  return block(objective, blockReason, now);
}

function complete(objective: Objective, { result }: MoveOf<'complete'>, { now }: Surroundings): Change {
  return {
    objective: { ...objective, status: 'done', blockReason: null, result, updatedAt: now, completedAt: now },
    events: [{ kind: 'completed', payload: { result } }],
  };
}

/** A cancelled objective keeps the reason for which it was blocked. */
function cancel(objective: Objective, { reason }: MoveOf<'cancel'>, { now }: Surroundings): Change {
  return {
    objective: { ...objective, status: 'cancelled', updatedAt: now },
    events: [{ kind: 'cancelled', payload: { reason } }],
  };
}

/** Keeps status and reason; a new assignee leaves the watchers. */
function reassign(
  objective: Objective,
  { to, note }: MoveOf<'reassign'>,
  { unknown, now }: Surroundings,
): Change {
  refuseUnknown('assignee', [to], unknown);
  const { assignee: from, watchers } = objective;
  if (to === from) refuse('already_assigned', { name: to });
  const left: ObjectiveEventBody[] = watchers.includes(to)
    ? [{ kind: 'watcher_removed', payload: { name: to } }]
    : [];
  return {
    objective: { ...objective, assignee: to, watchers: watchersFor(to, watchers), updatedAt: now },
    events: [{ kind: 'reassigned', payload: { from, to, note } }, ...left],
  };
}

/** Adding an existing watcher or the assignee, and removing a member who does not watch, change nothing. */
function changeWatchers(
  objective: Objective,
  { add, remove }: MoveOf<'watchers'>,
  { unknown, now }: Surroundings,
): Change {
  const { watchers, assignee } = objective;
  refuseUnknown('watcher', add, unknown);
  const gone = remove.filter((name) => !watchers.includes(name));
  refuseUnknown('watcher', gone, unknown);
  const both = add.find((name) => remove.includes(name));
  if (both !== undefined) refuse('watcher_in_both_lists', { name: both });
  const added = watchersFor(assignee, add).filter((name) => !watchers.includes(name));
  const removed = [...new Set(remove)].filter((name) => watchers.includes(name));
  if (added.length + removed.length === 0) return unchanged(objective);
  return {
    objective: {
      ...objective,
      watchers: [...watchers.filter((name) => !removed.includes(name)), ...added],
      updatedAt: now,
    },
    events: [
      ...added.map((name): ObjectiveEventBody => ({ kind: 'watcher_added', payload: { name } })),
      ...removed.map((name): ObjectiveEventBody => ({ kind: 'watcher_removed', payload: { name } })),
    ],
  };
}

/**
 * Returns the reason with which the open objectives of a removed member become blocked, also those that already
 * were (specification/members.md#removing-a-member).
 */
export const removalReason = (member: string): string => `${member} was removed from the team`;

/** By `system`, because the member was removed. It leaves whatever it was in. */
export function release(objective: Objective, member: string, now: number): Change {
  if (objective.watchers.includes(member)) {
    return {
      objective: {
        ...objective,
        watchers: objective.watchers.filter((name) => name !== member),
        updatedAt: now,
      },
      events: [{ kind: 'watcher_removed', payload: { name: member } }],
    };
  }
  const reason = removalReason(member);
  if (objective.assignee !== member || isTerminal(objective) || objective.blockReason === reason)
    return unchanged(objective);
  return block(objective, reason, now);
}
