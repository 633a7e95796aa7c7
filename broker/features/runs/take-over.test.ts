import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { RunClaim } from '#protocol/run.ts';
import { createExpiries } from '../../runtime/expiries.ts';
import { createRuns, type Runs } from './runs.service.ts';

const ben = 'ben' as MemberName;
const admitted = async () => undefined;
const claimOf = (): RunClaim => ({ runId: randomUUID(), host: 'mill', agent: 'sh' });
const expiries = createExpiries(Date.now);
afterAll(expiries.stop);
let keepLease: () => Promise<void>;
let forgetLease: () => Promise<void>;
let runs: Runs;
beforeEach(() => {
  keepLease = async () => undefined;
  forgetLease = async () => undefined;
  runs = createRuns({
    units: { allLeases: async () => [], keepLease: () => keepLease(), forgetLease: () => forgetLease() },
    clock: Date.now,
    expiries,
    members: { find: () => undefined } as never,
    audit: { entry: () => undefined as never, record: async () => undefined },
    connections: () => 1,
    onChanged: () => undefined,
    onTaken: () => undefined,
    onWriteDeferred: () => undefined,
    leaveMs: 1,
  });
});

it('leaves the lease to its run if the next one could not be stored', async () => {
  const [first, second] = [claimOf(), claimOf()];
  await runs.take(ben, first, admitted);
  keepLease = () => Promise.reject(new Error('the disk is full'));
  await expect(runs.take(ben, { ...second, replaces: [first.runId] }, admitted)).rejects.toThrow(
    'the disk is full',
  );
  expect(runs.renew(ben, first.runId).runId).toBe(first.runId);
});

it('takes the lease from a run that does not end in time', async () => {
  const [first, second] = [claimOf(), claimOf()];
  await runs.take(ben, first, admitted);
  expect((await runs.take(ben, { ...second, takeOver: true }, admitted)).runId).toBe(second.runId);
  expect(() => runs.renew(ben, first.runId)).toThrow(expect.objectContaining({ reason: 'run_taken_over' }));
  expect(runs.renew(ben, second.runId).runId).toBe(second.runId);
});

it('does not give the lease back to a run that asks for it while it is taken', async () => {
  const [first, second] = [claimOf(), claimOf()];
  await runs.take(ben, first, admitted);
  forgetLease = async () => void (await runs.take(ben, first, admitted));
  expect((await runs.take(ben, { ...second, takeOver: true }, admitted)).runId).toBe(second.runId);
  expect(() => runs.renew(ben, first.runId)).toThrow(expect.objectContaining({ reason: 'run_taken_over' }));
});

it('gives no lease to a claim whose credential ended while it waited', async () => {
  const [first, second] = [claimOf(), claimOf()];
  await runs.take(ben, first, admitted);
  const revoked = () => Promise.reject(new Error('revoked'));
  await expect(runs.take(ben, { ...second, takeOver: true }, revoked)).rejects.toThrow('revoked');
  expect(runs.renew(ben, first.runId).runId).toBe(first.runId);
});

it('refuses further claims while enough of them wait', async () => {
  const first = claimOf();
  await runs.take(ben, first, admitted);
  const claims = Array.from({ length: limits.run.takingOver + 1 }, () =>
    runs.take(ben, { ...claimOf(), takeOver: true }, admitted),
  );
  await expect(claims.at(-1)).rejects.toMatchObject({ reason: 'run_held' });
  const settled = await Promise.allSettled(claims.slice(0, -1));
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
