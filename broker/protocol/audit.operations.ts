/** The audit log. Part of the contract table in operations.ts. */
import { AuditCutParams, AuditPage, AuditQuery } from './audit.ts';
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
  acknowledgeAuditCut: {
    method: 'POST',
    path: '/audit/cuts/:seq/acknowledge',
    summary: 'Record that the caller knows why the audit log was cut, so that its chain holds again.',
    plane: 'dual',
    rule: ['members.manage'],
    params: AuditCutParams,
    reply: 'empty',
    status: 204,
  },
} as const satisfies Record<string, Operation>;
