/** Search, unread counts, and receipts. Part of the contract table in operations.ts. */
import type { Operation } from './operation.ts';
import { EvidenceReport, MessageParams, ReadReport, Receipts, Unread, Waiting } from './receipt.ts';
import { SearchQuery, SearchReply } from './search.ts';

export const readingOperations = {
  search: {
    method: 'GET',
    path: '/search',
    summary: 'Messages and objectives with these words and "phrases" that the caller may read, newest first.',
    plane: 'dual',
    rule: ['member'],
    query: SearchQuery,
    reply: SearchReply,
    status: 200,
  },
  unread: {
    method: 'GET',
    path: '/unread',
    summary: 'What the caller has not read yet, per scope.',
    plane: 'dual',
    rule: ['member'],
    reply: Unread,
    status: 200,
  },
  reportRead: {
    method: 'POST',
    path: '/messages/read',
    summary: 'Say that the caller has read a scope up to a message.',
    plane: 'dual',
    rule: ['member'],
    body: ReadReport,
    reply: 'empty',
    status: 204,
  },
  waiting: {
    method: 'GET',
    path: '/messages/waiting',
    summary: 'The messages that a runner has not yet delivered to the caller’s model (ADR 0007).',
    plane: 'bearer',
    rule: ['member'],
    reply: Waiting,
    status: 200,
  },
  reportEvidence: {
    method: 'POST',
    path: '/messages/:id/receipt',
    summary: 'A recipient’s runner reports how far a message has come toward its model.',
    plane: 'bearer',
    rule: ['recipient'],
    params: MessageParams,
    body: EvidenceReport,
    reply: 'empty',
    status: 204,
  },
  receipts: {
    method: 'GET',
    path: '/messages/:id/receipts',
    summary: 'The strongest state that is known of a message for each of its recipients.',
    plane: 'dual',
    rule: ['sender', 'members.manage'],
    params: MessageParams,
    reply: Receipts,
    status: 200,
  },
} as const satisfies Record<string, Operation>;
