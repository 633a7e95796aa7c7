/** How long the broker keeps what it stores. Part of the contract table in operations.ts. */
import type { Operation } from './operation.ts';
import { RetentionPatch, RetentionState } from './retention.ts';

export const retentionOperations = {
  retention: {
    method: 'GET',
    path: '/retention',
    summary: 'The rules for removing what is old, the legal holds, and the newest run.',
    plane: 'dual',
    rule: ['members.manage'],
    reply: RetentionState,
    status: 200,
  },
  updateRetention: {
    method: 'PATCH',
    path: '/retention',
    summary: 'Change the rules, set a legal hold, or release one.',
    plane: 'dual',
    rule: ['members.manage'],
    body: RetentionPatch,
    reply: RetentionState,
    status: 200,
  },
  runRetention: {
    method: 'POST',
    path: '/retention/run',
    summary: 'Begin a run now; it goes on after the reply.',
    plane: 'dual',
    rule: ['members.manage'],
    reply: RetentionState,
    status: 200,
  },
} as const satisfies Record<string, Operation>;
