/** Objectives: their shapes, requests, and audit log (specification/objectives.md). */
import { z } from 'zod';
import { FsPath } from './files.ts';
import { MemberName, ObjectiveId, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { CausesRequest, ReplyRequest } from './message.ts';
import { text, trimmedText } from './text.ts';
import { objectiveStatuses } from './vocabulary.ts';

export const ObjectiveStatus = z.enum(objectiveStatuses).meta({ id: 'ObjectiveStatus' });
export type ObjectiveStatus = z.infer<typeof ObjectiveStatus>;

export const Objective = z
  .object({
    id: ObjectiveId,
    title: z.string(),
    outcome: z.string(),
    body: z.string(),
    status: ObjectiveStatus,
    assignee: z.string(),
    originator: z.string(),
    watchers: z.array(z.string()),
    blockReason: z.string().nullable(),
    result: z.string().nullable(),
    attachments: z.array(z.string()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    completedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Objective' });
export type Objective = z.infer<typeof Objective>;

/** The payload that each kind of audit event carries (specification/objectives.md#events). */
export const ObjectiveEventBody = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('assigned'),
      payload: z.object({
        assignee: z.string(),
        title: z.string(),
        outcome: z.string(),
        watchers: z.array(z.string()),
      }),
    }),
    z.object({ kind: z.literal('blocked'), payload: z.object({ reason: z.string() }) }),
    z.object({ kind: z.literal('unblocked'), payload: z.object({}) }),
    z.object({ kind: z.literal('completed'), payload: z.object({ result: z.string() }) }),
    z.object({ kind: z.literal('cancelled'), payload: z.object({ reason: z.string().nullable() }) }),
    z.object({
      kind: z.literal('reassigned'),
      payload: z.object({ from: z.string(), to: z.string(), note: z.string().nullable() }),
    }),
    z.object({ kind: z.literal('watcher_added'), payload: z.object({ name: z.string() }) }),
    z.object({ kind: z.literal('watcher_removed'), payload: z.object({ name: z.string() }) }),
  ])
  .meta({ id: 'ObjectiveEventBody' });
export type ObjectiveEventBody = z.infer<typeof ObjectiveEventBody>;

/** One entry of the append-only audit log; `seq` counts from 1 within the objective. */
export const ObjectiveEvent = z
  .intersection(
    z.object({ objectiveId: ObjectiveId, seq: z.int().positive(), ts: Timestamp, actor: z.string() }),
    ObjectiveEventBody,
  )
  .meta({ id: 'ObjectiveEvent' });
export type ObjectiveEvent = z.infer<typeof ObjectiveEvent>;

const { objective } = limits;
const Attachments = z.array(FsPath).max(limits.message.attachments);
const WatcherNames = z.array(MemberName).max(objective.watchers);

/** `null` counts as absent. */
export const NewObjective = z
  .object({
    title: trimmedText(1, objective.title),
    outcome: trimmedText(1, objective.outcome),
    assignee: MemberName,
    body: trimmedText(0, objective.body).nullish(),
    watchers: WatcherNames.nullish(),
    attachments: Attachments.nullish(),
  })
  .meta({ id: 'NewObjective' });
export type NewObjective = z.infer<typeof NewObjective>;

/**
 * A reason is required if the new status is `blocked`; alone, it replaces the reason of a blocked objective.
 */
export const ObjectivePatch = z
  .object({
    status: z.enum(['active', 'blocked']).nullish(),
    blockReason: trimmedText(1, objective.reason).nullish(),
  })
  .refine((patch) => patch.status != null || patch.blockReason != null, {
    error: 'pass status, blockReason, or both',
  })
  .refine((patch) => patch.status !== 'blocked' || patch.blockReason != null, {
    error: 'blockReason is required when the status is blocked',
    path: ['blockReason'],
  })
  .refine((patch) => patch.status !== 'active' || patch.blockReason == null, {
    error: 'blockReason is allowed only with the status blocked',
    path: ['blockReason'],
  })
  .meta({ id: 'ObjectivePatch' });
export type ObjectivePatch = z.infer<typeof ObjectivePatch>;

export const ObjectiveCompletion = z
  .object({ result: trimmedText(1, objective.result) })
  .meta({ id: 'ObjectiveCompletion' });
export type ObjectiveCompletion = z.infer<typeof ObjectiveCompletion>;

export const ObjectiveCancellation = z
  .object({ reason: trimmedText(0, objective.reason).nullish() })
  .meta({ id: 'ObjectiveCancellation' });
export type ObjectiveCancellation = z.infer<typeof ObjectiveCancellation>;

export const ObjectiveReassignment = z
  .object({ to: MemberName, note: trimmedText(0, objective.reason).nullish() })
  .meta({ id: 'ObjectiveReassignment' });
export type ObjectiveReassignment = z.infer<typeof ObjectiveReassignment>;

/** A post in the objective's thread. */
export const DiscussionPost = z
  .object({
    body: trimmedText(1, objective.discussion),
    title: text(0, limits.message.title).nullish(),
    attachments: Attachments.nullish(),
    ...ReplyRequest,
    ...CausesRequest,
  })
  .meta({ id: 'DiscussionPost' });
export type DiscussionPost = z.infer<typeof DiscussionPost>;

export const WatcherPatch = z
  .object({ add: WatcherNames.nullish(), remove: WatcherNames.nullish() })
  .refine((patch) => patch.add != null || patch.remove != null, { error: 'pass add, remove, or both' })
  .refine(({ add, remove }) => (add?.length ?? 0) + (remove?.length ?? 0) <= objective.watchers, {
    error: `add and remove must name at most ${objective.watchers} members together`,
  })
  .meta({ id: 'WatcherPatch' });
export type WatcherPatch = z.infer<typeof WatcherPatch>;

/** Newest first. `before` is the id of the last objective of the previous page. Without `limit`, all. */
export const ObjectivesQuery = z.object({
  assignee: MemberName.optional(),
  originator: MemberName.optional(),
  status: ObjectiveStatus.optional(),
  limit: queryInteger(1, objective.listMax).optional(),
  before: ObjectiveId.optional(),
});
export type ObjectivesQuery = z.infer<typeof ObjectivesQuery>;

export const ObjectiveList = z.object({ objectives: z.array(Objective) }).meta({ id: 'ObjectiveList' });
export type ObjectiveList = z.infer<typeof ObjectiveList>;

/** Events, oldest first. */
export const ObjectiveView = z
  .object({ objective: Objective, events: z.array(ObjectiveEvent) })
  .meta({ id: 'ObjectiveView' });
export type ObjectiveView = z.infer<typeof ObjectiveView>;

export const ObjectiveParams = z.object({ id: ObjectiveId });
