/** Runs of agents. Part of the contract table in operations.ts. */
import { MemberParams } from './member.ts';
import type { Operation } from './operation.ts';
import { RenewedRun, RunClaim, RunList, RunParams, RunReply, RunTokenRequest } from './run.ts';
import { RotatedToken } from './token.ts';

export const runOperations = {
  runs: {
    method: 'GET',
    path: '/runs',
    summary: 'The runs that hold a lease: all of them for managers, else the caller’s own.',
    plane: 'dual',
    rule: ['member'],
    reply: RunList,
    status: 200,
  },
  takeRun: {
    method: 'POST',
    path: '/runs',
    summary: 'Take the caller’s lease for a run; 409 while another run holds it.',
    waits: true,
    plane: 'dual',
    rule: ['member'],
    body: RunClaim,
    reply: RunReply,
    status: 200,
  },
  renewRun: {
    method: 'POST',
    path: '/runs/:id/renew',
    summary: 'Renew the lease of a run; it lapses 45 s after the last renewal.',
    plane: 'dual',
    rule: ['member'],
    params: RunParams,
    reply: RenewedRun,
    status: 200,
  },
  endRun: {
    method: 'DELETE',
    path: '/runs/:id',
    summary: 'Return the lease of a run that has ended.',
    plane: 'dual',
    rule: ['member'],
    params: RunParams,
    reply: 'empty',
    status: 204,
  },
  createRunToken: {
    method: 'POST',
    path: '/members/:name/run-tokens',
    summary: 'Create a token for one run of the member. It expires after an hour unless the run renews it.',
    plane: 'dual',
    rule: ['members.manage'],
    makesCredential: true,
    params: MemberParams,
    body: RunTokenRequest,
    reply: RotatedToken,
    status: 201,
  },
} as const satisfies Record<string, Operation>;
