/** Objectives (specification "Objective"; D8). */
import { z } from 'zod';
import { ObjectiveId, Timestamp } from './ids.ts';

export const ObjectiveStatus = z
  .enum(['active', 'blocked', 'done', 'cancelled'])
  .meta({ id: 'ObjectiveStatus' });
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
