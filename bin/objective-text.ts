/** Objectives as a person reads them. */
import type { Objective, ObjectiveEvent, ObjectiveView } from '#protocol/objective.ts';
import { colored, statusStyle } from './colors.ts';
import { localTime } from './message-line.ts';
import { block, oneLine } from './terminal-text.ts';

export const objectiveHeads = ['OBJECTIVE', 'STATUS', 'ASSIGNEE', 'FROM', 'CREATED', 'TITLE'];

export const objectiveCells = ({
  id,
  status,
  assignee,
  originator,
  createdAt,
  title,
}: Objective): string[] => [id, status, assignee, originator, localTime(createdAt), title];

/** All fields, then the audit log, oldest first. */
export function objectiveText({ objective, events }: ObjectiveView): string {
  const { id, title, status, outcome, body, assignee, originator, watchers } = objective;
  const fields: [string, string | null][] = [
    ['Status', status],
    ['Blocked', objective.blockReason],
    ['Outcome', outcome],
    ['Assignee', assignee],
    ['From', originator],
    ['Watchers', watchers.join(', ')],
    ['Details', body],
    ['Result', objective.result],
    ['Attached', objective.attachments.join(', ')],
    ['Created', localTime(objective.createdAt)],
    ['Done', objective.completedAt === null ? null : localTime(objective.completedAt)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value
      ? [
          `  ${`${name}:`.padEnd(10)}${colored(name === 'Status' ? statusStyle(value) : undefined, block(value))}`,
        ]
      : [],
  );
  return [`${oneLine(id)} ${oneLine(title)}`, ...lines, '', ...events.map(eventLine)].join('\n');
}

function eventLine(event: ObjectiveEvent): string {
  const what = whatHappened(event);
  return `${localTime(event.ts)} ${oneLine(event.actor)} ${block(what)}`;
}

function whatHappened({ kind, payload }: ObjectiveEvent): string {
  switch (kind) {
    case 'assigned':
      return `assigned it to ${payload.assignee}`;
    case 'blocked':
      return `blocked it: ${payload.reason}`;
    case 'unblocked':
      return 'unblocked it';
    case 'completed':
      return `completed it: ${payload.result}`;
    case 'cancelled':
      return `canceled it${payload.reason === null ? '' : `: ${payload.reason}`}`;
    case 'reassigned':
      return `reassigned it from ${payload.from} to ${payload.to}${payload.note === null ? '' : `: ${payload.note}`}`;
    case 'watcher_added':
      return `added ${payload.name} to its watchers`;
    case 'watcher_removed':
      return `removed ${payload.name} from its watchers`;
  }
}
