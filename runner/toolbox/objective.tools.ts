/**
 * Objectives: reading them and working on them; with the permission, creating, canceling, watching, and
 * reassigning them.
 */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import { objectivePages } from '#protocol/lists.ts';
import type { Objective, ObjectiveEvent, ObjectiveStatus } from '#protocol/objective.ts';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import type { BrokerCalls } from './broker-calls.ts';
import { attachments, inReplyTo } from './chat.tools.ts';
import { after, listedOf } from './long-lists.ts';
import { ageOf, indented, inLine } from './plain-text.rules.ts';
import { post, repeatable } from './post.ts';
import { type Caller, defineTool, type Tool, ToolError } from './tool.ts';
import { beside, named, optional, required } from './tool-input.ts';

const id = required();
const names = optional(z.array(z.string()).max(limits.objective.watchers));

/** The instructions list all of them. */
const maxNamed = 3;

const openLine = ({ briefing }: Caller): string => {
  const open = briefing.openObjectives.slice(0, maxNamed).map((one) => `${one.id} (${one.status})`);
  return open.length === 0 ? '' : ` Open and yours: ${open.join(', ')}.`;
};

function listLine({ id: objectiveId, status, title, outcome, createdAt }: Objective, now: number): string {
  return `- ${objectiveId} [${status}] ${inLine(title)} — outcome: ${inLine(outcome)} (${ageOf(createdAt, now)})`;
}

const idOf = ({ id: objectiveId }: Objective): string => objectiveId;

const relations = ['assigned', 'originated', 'watched', 'all'] as const;
type Relation = (typeof relations)[number];

function hasPart({ originator, watchers }: Objective, name: string, relation: Relation): boolean {
  if (relation === 'originated') return originator === name;
  return relation !== 'watched' || watchers.some((one) => one === name);
}

interface Wanted {
  name: string;
  relation: Relation;
  status: ObjectiveStatus | undefined;
  /** Only those after the one with this id. */
  last: string | undefined;
}

/** Yields the objectives of the relation, newest first. */
async function* objectivesOf(
  broker: BrokerCalls,
  { name, relation, status, last }: Wanted,
): AsyncGenerator<readonly Objective[]> {
  const assignee = relation === 'assigned' ? name : undefined;
  for await (const page of objectivePages(broker, { assignee, status, before: last }))
    yield page.filter((one) => hasPart(one, name, relation));
}

const time = (at: number | null): string => (at === null ? '-' : new Date(at).toISOString());

function fieldLines(objective: Objective): string[] {
  const { watchers, attachments } = objective;
  return [
    `id: ${objective.id}`,
    `title: ${inLine(objective.title)}`,
    `outcome: ${indented(objective.outcome)}`,
    `status: ${objective.status}`,
    `assignee: ${objective.assignee}`,
    `originator: ${objective.originator}`,
    `watchers: ${watchers.join(', ') || '-'}`,
    `body: ${indented(objective.body) || '-'}`,
    `blockReason: ${objective.blockReason === null ? '-' : indented(objective.blockReason)}`,
    `result: ${objective.result === null ? '-' : indented(objective.result)}`,
    `attachments: ${attachments.map(inLine).join(', ') || '-'}`,
    `createdAt: ${time(objective.createdAt)}`,
    `updatedAt: ${time(objective.updatedAt)}`,
    `completedAt: ${time(objective.completedAt)}`,
  ];
}

/** Payloads are JSON, so that nothing in them can start a line. */
const eventLine = ({ seq, ts, actor, kind, payload }: ObjectiveEvent): string =>
  `  ${seq}. ${time(ts)} ${actor} ${kind} ${JSON.stringify(payload)}`;

export const objectiveTools: readonly Tool[] = [
  defineTool({
    name: 'objectives_list',
    describe: (caller) => `List objectives, newest first.${openLine(caller)}`,
    input: z.object({
      status: optional(z.enum(objectiveStatuses)),
      who: beside(z.enum(relations), 'default: assigned'),
      after,
    }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ status, who = 'assigned', after: last }, { broker, briefing, now, isSpecified }) {
      const pages = objectivesOf(broker, { name: briefing.name, relation: who, status, last });
      const { items: objectives, notes } = await listedOf(pages, {
        tool: 'objectives_list',
        keyOf: idOf,
        isSpecified,
      });
      if (objectives.length === 0)
        return `no ${last === undefined ? '' : 'more '}${status === undefined ? '' : `${status} `}objectives`;
      const lines = objectives.map((one) => listLine(one, now));
      const also = objectives.map(
        ({ assignee, originator }) => `, assignee ${assignee}, originator ${originator}`,
      );
      const isOwn = who === 'assigned';
      const shown = lines.map((line, at) => (isOwn ? line : line + also[at]));
      return { text: [`${objectives.length} objectives:`, ...shown].join('\n'), notes };
    },
  }),
  defineTool({
    name: 'objectives_view',
    describe: () => 'Show an objective and its event log.',
    input: z.object({ id }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(input, { broker }) {
      const { objective, events } = await broker.call('objective', { params: { id: input.id } });
      return [...fieldLines(objective), 'events:', ...events.map(eventLine)].join('\n');
    },
  }),
  defineTool({
    name: 'objectives_update',
    describe: () => 'Report your objective as blocked or active again.',
    input: z.object({
      id,
      status: z.enum(['active', 'blocked']),
      blockReason: optional(z.string(), 'if blocked'),
    }),
    readOnly: false,
    destructive: false,
    idempotent: true,
    async run({ id: objectiveId, status, blockReason }, { broker, touch }) {
      if (status === 'blocked' && (blockReason ?? '').trim() === '')
        throw new ToolError('objectives_update: blockReason is required');
      const updated = await broker.call('updateObjective', {
        params: { id: objectiveId },
        body: { status, ...(status === 'blocked' && { blockReason }) },
      });
      touch();
      return `updated ${updated.id}: status=${updated.status}`;
    },
  }),
  defineTool({
    name: 'objectives_discuss',
    describe: () => 'Post in the thread of an objective.',
    input: z.object({
      id,
      body: required(),
      title: optional(z.string().max(limits.message.title)),
      attachments,
      inReplyTo,
    }),
    posts: true,
    readOnly: false,
    destructive: false,
    idempotent: false,
    run({ id: objectiveId, ...given }, context) {
      const said = (counts: string) => `posted to objective ${objectiveId} thread: ${counts}`;
      return post(context, { kind: 'objective', objectiveId }, given, said);
    },
  }),
  defineTool({
    name: 'objectives_complete',
    describe: () => 'Report that your objective’s outcome is reached. Final.',
    input: z.object({ id, result: required('what was achieved, and where') }),
    readOnly: false,
    destructive: true,
    idempotent: false,
    async run({ id: objectiveId, result }, { broker, touch }) {
      const done = await broker.call('completeObjective', { params: { id: objectiveId }, body: { result } });
      touch();
      return `completed ${done.id}: the originator ${done.originator} is notified`;
    },
  }),
  defineTool({
    name: 'objectives_create',
    describe: () => 'Create an objective for a member.',
    input: z.object({
      title: required(),
      outcome: required('verifiable'),
      assignee: named(),
      body: z.string().optional(),
      watchers: names,
      attachments,
    }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    isOffered: ({ briefing }) => briefing.permissions.includes('objectives.create'),
    async run({ attachments: paths, ...request }, { broker, touch }) {
      const attached = await broker.resolveAttachments(paths);
      const created = await broker.call('createObjective', {
        body: { ...request, attachments: attached },
        ...repeatable(),
      });
      touch();
      return `created ${created.id} assigned to ${created.assignee}: ${inLine(created.title)}`;
    },
  }),
  defineTool({
    name: 'objectives_cancel',
    describe: () => 'Cancel an objective. Final.',
    input: z.object({ id, reason: z.string().optional() }),
    readOnly: false,
    destructive: true,
    idempotent: false,
    isOffered: ({ briefing, originated }) =>
      briefing.permissions.includes('objectives.cancel') || originated.size > 0,
    async run({ id: objectiveId, reason }, { broker, touch }) {
      const cancelled = await broker.call('cancelObjective', {
        params: { id: objectiveId },
        body: { reason },
      });
      touch();
      return `cancelled ${cancelled.id}: ${inLine(cancelled.title)}`;
    },
  }),
  defineTool({
    name: 'objectives_watchers',
    describe: () => 'Change who follows an objective.',
    input: z.object({
      id,
      add: names,
      remove: names,
    }),
    readOnly: false,
    destructive: false,
    idempotent: true,
    isOffered: ({ briefing, originated }) =>
      briefing.permissions.includes('objectives.watch') || originated.size > 0,
    async run({ id: objectiveId, add, remove }, { broker, touch }) {
      if ((add ?? []).length === 0 && (remove ?? []).length === 0)
        throw new ToolError('objectives_watchers: add or remove is required');
      const updated = await broker.call('updateWatchers', {
        params: { id: objectiveId },
        body: { add, remove },
      });
      touch();
      return `updated ${updated.id} watchers: ${updated.watchers.join(', ') || 'none'}`;
    },
  }),
  defineTool({
    name: 'objectives_reassign',
    describe: () => 'Assign an objective to another member.',
    input: z.object({
      id,
      to: named(),
      note: z.string().optional(),
    }),
    readOnly: false,
    destructive: false,
    idempotent: true,
    isOffered: ({ briefing }) => briefing.permissions.includes('members.manage'),
    async run({ id: objectiveId, to, note }, { broker, touch }) {
      const moved = await broker.call('reassignObjective', {
        params: { id: objectiveId },
        body: { to, note },
      });
      touch();
      return `reassigned ${moved.id} to ${moved.assignee}: ${inLine(moved.title)}`;
    },
  }),
];
