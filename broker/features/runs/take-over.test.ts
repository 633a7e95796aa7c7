import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { MemberName } from '#protocol/ids.ts';
import type { RunClaim } from '#protocol/run.ts';
import { createExpiries } from '../../runtime/expiries.ts';
import { createRuns } from './runs.service.ts';

it('takes the lease from a run that does not end in time', async () => {
  const expiries = createExpiries(Date.now);
  const runs = createRuns({
    units: { allLeases: async () => [], keepLease: async () => {}, forgetLease: async () => {} },
    clock: Date.now,
    expiries,
    members: { find: () => undefined } as never,
    connections: () => 1,
    onChanged: () => undefined,
    onWriteDeferred: () => undefined,
    leaveMs: 1,
  });
  const ben = 'ben' as MemberName;
  const claimOf = (): RunClaim => ({ runId: randomUUID(), host: 'mill', agent: 'sh' });
  const [first, second] = [claimOf(), claimOf()];
  await runs.take(ben, first);
  expect((await runs.take(ben, { ...second, takeOver: true })).runId).toBe(second.runId);
  expect(() => runs.renew(ben, first.runId)).toThrow(expect.objectContaining({ reason: 'run_taken_over' }));
  expect(runs.renew(ben, second.runId).runId).toBe(second.runId);
  expiries.stop();
});
