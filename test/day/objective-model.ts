/** Objectives and their threads: moves, audit events, notices, and markers. */

import {
  type AuditEvent,
  accept,
  type Day,
  distinct,
  type Marker,
  type Objective,
  threadOf,
} from './day-state.ts';
import { attach } from './file-model.ts';

export type ObjectiveStep =
  | {
      kind: 'create';
      by: string;
      key: string;
      word: string;
      assignee: string;
      watchers: string[];
      attachments: string[];
    }
  | { kind: 'block'; by: string; objective: string; reason: string }
  | { kind: 'unblock'; by: string; objective: string }
  | { kind: 'complete'; by: string; objective: string; result: string }
  | { kind: 'cancel'; by: string; objective: string; reason: string }
  | { kind: 'reassign'; by: string; objective: string; to: string; note: string }
  | { kind: 'watch'; by: string; objective: string; add: string[]; remove: string[] }
  | {
      kind: 'discuss';
      by: string;
      objective: string;
      label: string;
      words: string[];
      mentions: string[];
      attachments: string[];
    };

const isOver = ({ status }: Objective): boolean => status === 'done' || status === 'cancelled';

export function takeObjectiveStep(day: Day, step: ObjectiveStep): number {
  if (step.kind === 'create') return create(day, step);
  const manages = day.members.get(step.by) === 'admin';
  if (step.kind === 'reassign' && !manages) return 403;
  const objective = day.objectives.get(step.objective);
  if (objective === undefined) return 404;
  const isOperator = manages || day.members.get(step.by) === 'operator';
  const isAssignee = objective.assignee === step.by;
  const mayBe: Record<Exclude<ObjectiveStep['kind'], 'create'>, boolean> = {
    block: isAssignee || manages,
    unblock: isAssignee || manages,
    complete: isAssignee,
    cancel: isOperator || objective.originator === step.by,
    reassign: manages,
    watch: isOperator || objective.originator === step.by,
    discuss: threadOf(day, objective).includes(step.by),
  };
  if (!mayBe[step.kind]) return 403;
  if (step.kind === 'discuss') return discuss(day, objective, step);
  if (isOver(objective))
    return objective.status === 'done' && ['cancel', 'reassign'].includes(step.kind) ? 410 : 409;
  return move(day, objective, step);
}

type Move = Exclude<ObjectiveStep, { kind: 'create' | 'discuss' }>;

function move(day: Day, objective: Objective, step: Move): number {
  const before = threadOf(day, objective);
  const happened: { kind: string; payload: AuditEvent['payload'] }[] = [];
  switch (step.kind) {
    case 'block':
      if (objective.status === 'blocked' && objective.blockReason === step.reason) return 200;
      objective.status = 'blocked';
      objective.blockReason = step.reason;
      happened.push({ kind: 'blocked', payload: { reason: step.reason } });
      break;
    case 'unblock':
      if (objective.status === 'active') return 200;
      objective.status = 'active';
      objective.blockReason = null;
      happened.push({ kind: 'unblocked', payload: {} });
      break;
    case 'complete':
      objective.status = 'done';
      objective.blockReason = null;
      objective.result = step.result;
      happened.push({ kind: 'completed', payload: { result: step.result } });
      mark(day, objective.assignee, { kind: 'objective_close', objective: objective.key, result: 'done' });
      break;
    case 'cancel':
      objective.status = 'cancelled';
      happened.push({ kind: 'cancelled', payload: { reason: step.reason } });
      mark(day, objective.assignee, {
        kind: 'objective_close',
        objective: objective.key,
        result: 'cancelled',
      });
      break;
    case 'reassign': {
      const { to, note } = step;
      const from = objective.assignee;
      if (!day.members.has(to) || to === from) return 400;
      happened.push({ kind: 'reassigned', payload: { from, to, note } });
      if (objective.watchers.includes(to)) happened.push({ kind: 'watcher_removed', payload: { name: to } });
      objective.assignee = to;
      objective.watchers = objective.watchers.filter((name) => name !== to);
      mark(day, from, { kind: 'objective_close', objective: objective.key, result: 'reassigned' });
      mark(day, to, { kind: 'objective_open', objective: objective.key, result: null });
      break;
    }
    case 'watch': {
      const { watchers, assignee } = objective;
      const unknown = [...step.add, ...step.remove.filter((name) => !watchers.includes(name))];
      if (unknown.some((name) => !day.members.has(name))) return 400;
      const added = distinct(step.add).filter((name) => name !== assignee && !watchers.includes(name));
      const removed = distinct(step.remove).filter((name) => watchers.includes(name));
      objective.watchers = [...watchers.filter((name) => !removed.includes(name)), ...added];
      for (const name of added) happened.push({ kind: 'watcher_added', payload: { name } });
      for (const name of removed) happened.push({ kind: 'watcher_removed', payload: { name } });
      break;
    }
  }
  const audience = distinct([...before, ...threadOf(day, objective)]);
  for (const one of happened) happen(day, objective, { ...one, actor: step.by }, audience);
  return 200;
}

function mark(day: Day, member: string, marker: Marker): void {
  day.markers.set(member, [...(day.markers.get(member) ?? []), marker]);
}

/** `audience` is null for an event without a notice. */
function happen(day: Day, objective: Objective, event: AuditEvent, audience: string[] | null): void {
  const seq = objective.events.push(event);
  if (audience === null) return;
  accept(day, {
    label: `${objective.key}#${seq}`,
    from: event.actor,
    to: null,
    scope: `obj:${objective.key}`,
    isNotice: true,
    audience,
    // The notice's sentence names the objective.
    words: [objective.word],
  });
}

function create(day: Day, step: ObjectiveStep & { kind: 'create' }): number {
  const { by, key, word, assignee, attachments } = step;
  if (day.members.get(by) === 'none') return 403;
  if ([assignee, ...step.watchers].some((name) => !day.members.has(name))) return 400;
  const refused = attach(day, by, attachments, `obj:${key}`);
  if (refused !== null) return refused;
  const watchers = distinct(step.watchers).filter((name) => name !== assignee);
  const objective: Objective = {
    key,
    word,
    status: 'active',
    assignee,
    originator: by,
    watchers,
    attachments: distinct(attachments),
    blockReason: null,
    result: null,
    events: [],
  };
  day.objectives.set(key, objective);
  const payload = { assignee, title: key, outcome: `${word} is proven`, watchers };
  happen(day, objective, { kind: 'assigned', actor: by, payload }, threadOf(day, objective));
  mark(day, assignee, { kind: 'objective_open', objective: key, result: null });
  return 201;
}

function discuss(day: Day, objective: Objective, step: ObjectiveStep & { kind: 'discuss' }): number {
  const { by, label, words, mentions, attachments } = step;
  const scope = `obj:${objective.key}`;
  const refused = attach(day, by, attachments, scope);
  if (refused !== null) return refused;
  const audience = threadOf(day, objective);
  accept(day, { label, from: by, to: null, scope, isNotice: false, audience, words, mentions });
  return 200;
}

/**
 * Applies the removal of a member to the objectives: its open objectives become blocked, active ones first, and then it
 * leaves the watchers.
 */
export function release(day: Day, name: string): void {
  const reason = `${name} was removed from the team`;
  const all = [...day.objectives.values()];
  const assigned = ['active', 'blocked'].flatMap((status) =>
    all.filter((one) => one.assignee === name && one.status === status),
  );
  for (const objective of assigned) {
    objective.status = 'blocked';
    objective.blockReason = reason;
    happen(
      day,
      objective,
      { kind: 'blocked', actor: 'system', payload: { reason } },
      threadOf(day, objective),
    );
  }
  for (const objective of all) {
    if (!objective.watchers.includes(name)) continue;
    const audience = isOver(objective) ? null : threadOf(day, objective);
    objective.watchers = objective.watchers.filter((one) => one !== name);
    happen(day, objective, { kind: 'watcher_removed', actor: 'system', payload: { name } }, audience);
  }
}
