/** Activity. Part of the contract table in operations.ts. */
import {
  ActivityAccepted,
  ActivityQuery,
  ActivityRange,
  ActivityStreamQuery,
  ActivityUpload,
  ActivityUsage,
  ActivityUsageQuery,
} from './activity.ts';
import { limits } from './limits.ts';
import { MemberParams } from './member.ts';
import type { Operation } from './operation.ts';

const self = { in: 'params', key: 'name' } as const;

export const activityOperations = {
  uploadActivity: {
    method: 'POST',
    path: '/members/:name/activity',
    summary: 'Store 1 to 500 events of the caller’s own, all or none. A 200 means they are on disk.',
    plane: 'dual',
    rule: ['self'],
    self,
    params: MemberParams,
    body: ActivityUpload,
    rawBody: 'json',
    bodyLimit: limits.body.activity,
    reply: ActivityAccepted,
    status: 200,
  },
  activityRange: {
    method: 'GET',
    path: '/members/:name/activity',
    summary: 'A member’s stored activity, newest first.',
    plane: 'dual',
    rule: ['activity.read', 'self'],
    self,
    params: MemberParams,
    query: ActivityQuery,
    reply: ActivityRange,
    status: 200,
  },
  activityStream: {
    method: 'GET',
    path: '/members/:name/activity/stream',
    summary: 'A member’s activity, live; resumes after Last-Event-ID or lastEventId.',
    plane: 'dual',
    rule: ['activity.read', 'self'],
    self,
    params: MemberParams,
    query: ActivityStreamQuery,
    reply: 'stream',
    status: 200,
  },
  activityUsage: {
    method: 'GET',
    path: '/activity/usage',
    summary:
      'Tokens and exchanges per member, day in UTC and model: of one member, or of all that the caller may see.',
    plane: 'dual',
    rule: ['activity.read', 'self'],
    self: { in: 'query', key: 'member', isOptional: true },
    query: ActivityUsageQuery,
    reply: ActivityUsage,
    status: 200,
  },
} as const satisfies Record<string, Operation>;
