/** The audit log. Part of the contract table in operations.ts. */
import { AuditPage, AuditQuery } from './audit.ts';
import type { Operation } from './operation.ts';

export const auditOperations = {
  audit: {
    method: 'GET',
    path: '/audit',
    summary:
      'Security-relevant changes, newest first: who, with what, from where, on what, before and after.',
    plane: 'dual',
    rule: ['members.manage'],
    query: AuditQuery,
    reply: AuditPage,
    status: 200,
  },
} as const satisfies Record<string, Operation>;
