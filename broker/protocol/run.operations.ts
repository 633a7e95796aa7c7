/** Runs of agents. Part of the contract table in operations.ts. */
import { MemberParams } from './member.ts';
import type { Operation } from './operation.ts';
import { RenewedRun, RunAddress, RunClaim, RunList, RunParams, RunReply, RunTokenRequest } from './run.ts';
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
  stopRun: {
    method: 'POST',
    path: '/members/:name/stop-run',
    summary:
      'Ask the run of a member to end. It does so at its next renewal, and has ended when it returns its lease.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    leavesRecord: true,
    self: { in: 'params', key: 'name' },
    params: MemberParams,
    body: RunAddress,
    reply: 'empty',
    status: 204,
  },
  interruptRun: {
    method: 'POST',
    path: '/members/:name/interrupt-run',
    summary:
      'Ask the run of a member to end the turn of its agent. The agent stays, and its next message begins another turn.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    leavesRecord: true,
    self: { in: 'params', key: 'name' },
    params: MemberParams,
    body: RunAddress,
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
