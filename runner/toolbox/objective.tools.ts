/**
 * Objectives: reading, working on, and, for those who may, creating, canceling, watching, and reassigning
 * them.
 */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import { type Objective, type ObjectiveEvent, objectiveStatuses } from '#protocol/objective.ts';
import { ageOf, indented, inLine } from './plain-text.ts';
import { type Caller, defineTool, type Tool, ToolError } from './tool.ts';
import { optional, required } from './tool-input.ts';

const id = required('the id of the objective (obj_…)');
const paths = optional(
  z.array(z.string()).max(limits.message.attachments),
  'absolute paths of files on the team filesystem; the members of the thread get read access',
);
const names = (description: string) =>
  optional(z.array(z.string()).max(limits.objective.watchers), description);

const openLine = ({ briefing }: Caller): string => {
  const open = briefing.openObjectives.slice(0, 10).map((one) => `${one.id} (${one.status})`);
  return open.length === 0 ? '' : ` Open and assigned to you: ${open.join(', ')}.`;
};

function listLine({ id: objectiveId, status, title, outcome, createdAt }: Objective, now: number): string {
  return `- ${objectiveId} [${status}] ${inLine(title)} — outcome: ${inLine(outcome)} (${ageOf(createdAt, now)})`;
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
    title: 'List your objectives',
    describe: (caller) => `List the objectives assigned to you, newest first.${openLine(caller)}`,
    input: z.object({ status: optional(z.enum(objectiveStatuses), 'only objectives with this status') }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ status }, { broker, briefing, now }) {
      const { objectives } = await broker.call('objectives', {
        query: { assignee: briefing.name, status, limit: String(limits.objective.listMax) },
      });
      if (objectives.length === 0) return `no ${status === undefined ? '' : `${status} `}objectives`;
      return [`${objectives.length} objectives:`, ...objectives.map((one) => listLine(one, now))].join('\n');
    },
  }),
  defineTool({
    name: 'objectives_view',
    title: 'View an objective',
    describe: () =>
      'Show all fields of an objective and its event log. The objective is done when its outcome is reached.',
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
    title: 'Block or unblock an objective',
    describe: () =>
      'Report that an objective assigned to you is blocked, and why, or that it is active again.',
    input: z.object({
      id,
      status: z.enum(['active', 'blocked']).describe('the new status'),
      blockReason: optional(z.string(), 'required if blocked: what is missing, and from whom'),
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
    title: 'Discuss an objective',
    describe: () =>
      'Post in the thread of an objective, which its originator, assignee, and watchers can read.',
    input: z.object({
      id,
      body: required('the text; Markdown is allowed'),
      title: optional(z.string().max(limits.message.title), 'a short heading'),
      attachments: paths,
    }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ id: objectiveId, body, title, attachments }, { broker }) {
      const attached = await broker.resolveAttachments(attachments);
      const message = await broker.call('discussObjective', {
        params: { id: objectiveId },
        body: { body, title, attachments: attached },
      });
      return `posted to objective ${objectiveId} thread: msg=${message.id}`;
    },
  }),
  defineTool({
    name: 'objectives_complete',
    title: 'Complete an objective',
    describe: () =>
      'Report that the outcome of an objective assigned to you has been reached. This is final.',
    input: z.object({ id, result: required('what was achieved, and where to see it') }),
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
    title: 'Create an objective',
    describe: () => 'Create an objective with a verifiable outcome, and assign it to a member.',
    input: z.object({
      title: required('a short heading'),
      outcome: required('the tangible, verifiable result that completes the objective'),
      assignee: required('the name of the member who works on it'),
      body: optional(z.string(), 'further details'),
      watchers: names('names of members who follow it'),
      attachments: paths,
    }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    isOffered: ({ briefing }) => briefing.permissions.includes('objectives.create'),
    async run({ attachments, ...request }, { broker, touch }) {
      const attached = await broker.resolveAttachments(attachments);
      const created = await broker.call('createObjective', { body: { ...request, attachments: attached } });
      touch();
      return `created ${created.id} assigned to ${created.assignee}: ${inLine(created.title)}`;
    },
  }),
  defineTool({
    name: 'objectives_cancel',
    title: 'Cancel an objective',
    describe: () => 'Cancel an objective that is no longer needed. This is final.',
    input: z.object({ id, reason: optional(z.string(), 'why it is canceled') }),
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
    title: 'Change watchers',
    describe: () => 'Add watchers to an objective, or remove them. Pass add, remove, or both.',
    input: z.object({
      id,
      add: names('names of members to add'),
      remove: names('names of members to remove'),
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
    title: 'Reassign an objective',
    describe: () => 'Assign an objective to another member.',
    input: z.object({
      id,
      to: required('the name of the new assignee'),
      note: optional(z.string(), 'a note for the new assignee'),
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
