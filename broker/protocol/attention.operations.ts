/** The items that ask for a member's attention. Part of the contract table in operations.ts. */
import { Attention, AttentionQuery, AttentionReport } from './attention.ts';
import { Inbox, InboxQuery } from './inbox.ts';
import type { Operation } from './operation.ts';

export const attentionOperations = {
  inbox: {
    method: 'GET',
    path: '/inbox',
    summary: 'The items that need the caller, the most urgent first.',
    plane: 'dual',
    rule: ['member'],
    query: InboxQuery,
    reply: Inbox,
    status: 200,
  },
  attention: {
    method: 'GET',
    path: '/attention',
    summary:
      'The items that the caller has dealt with or put off, and the unread messages that ask for the caller’s attention.',
    plane: 'dual',
    rule: ['member'],
    reply: Attention,
    status: 200,
  },
  markAttention: {
    method: 'POST',
    path: '/attention',
    summary: 'Say that the caller has dealt with something, or puts it off.',
    plane: 'dual',
    rule: ['member'],
    body: AttentionReport,
    reply: 'empty',
    status: 204,
  },
  unmarkAttention: {
    method: 'DELETE',
    path: '/attention',
    summary: 'Take that back.',
    plane: 'dual',
    rule: ['member'],
    query: AttentionQuery,
    reply: 'empty',
    status: 204,
  },
} as const satisfies Record<string, Operation>;
