import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { type LeaseRefusal, type RunLease, takeLease } from '../../runner/session/run-lease.ts';

let team: TestBroker;
let clockLeadMs: number;
let isCut: boolean;
let refusals: LeaseRefusal['by'][];
let interruptions: string[];
const leases: RunLease[] = [];
beforeEach(async () => {
  [clockLeadMs, isCut, refusals, interruptions] = [0, false, [], []];
  team = await startTestBroker({ clock: () => Date.now() + clockLeadMs });
});
afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.end();
  await team.stop();
});

async function take(runId: string, renewMs?: number): Promise<RunLease | null> {
  const lease = await takeLease({
    client: createClient(({ url, ...init }) =>
      isCut ? Promise.reject(new Error('no way')) : team.fetch('ben', url, init),
    ),
    runId,
    member: 'ben',
    agent: 'sh',
    replaces: [],
    takeOver: false,
    onRefused: ({ by }) => refusals.push(by),
    onInterrupt: (by) => interruptions.push(by),
    log: () => undefined,
    ...(renewMs !== undefined && { renewMs }),
  });
  if (lease !== null) leases.push(lease);
  return lease;
}
const held = async () => (await team.as('ada').call('runs', {})).runs;
const frame = JSON.stringify({ name: 'ben', connected: 1, lastSeen: null, busy: false });
/** A run of the same member on another machine. */
const elsewhere = (over: object = {}) =>
  team.as('ben').call('takeRun', { body: { runId: randomUUID(), host: 'barn', agent: 'sh', ...over } });

describe('the lease of a run', () => {
  it('carries what reaches the agent with every renewal, at once when it changes', async () => {
    const lease = await take(randomUUID(), 10);
    lease?.setReach('nothing');
    await expect.poll(held).toMatchObject([{ reach: 'nothing' }]);
    lease?.onAsked();
    lease?.setReach(null);
    await expect.poll(async () => (await held()).map(({ reach }) => reach)).toEqual([undefined]);
  });

  it('is renewed as long as the run lives, also after the broker could not be reached', async () => {
    const runId = randomUUID();
    await take(runId, 10);
    isCut = true;
    // A renewal that was under way may still arrive.
    await expect
      .poll(async () => {
        clockLeadMs += limits.run.leaseMs;
        return (await held()).some(({ isResponding }) => isResponding);
      })
      .toBe(false);
    isCut = false;
    await expect.poll(held).toMatchObject([{ runId, isResponding: true }]);
    expect(refusals).toEqual([]);
  });

  it('is taken again if it lapsed and nobody else has it', async () => {
    const runId = randomUUID();
    const lease = await take(runId);
    await team.as('ben').call('endRun', { params: { id: runId } });
    lease?.onPresence(frame);
    await expect.poll(held).toMatchObject([{ runId }]);
    expect(refusals).toEqual([]);
  });

  it('is lost to a run that took it while this one was not responding', async () => {
    const lease = await take(randomUUID());
    clockLeadMs += limits.run.leaseMs;
    await elsewhere();
    lease?.onPresence(frame);
    await expect.poll(() => refusals).toEqual(['another run']);
  });

  it('is given up for a run that takes over', async () => {
    const lease = await take(randomUUID(), 10);
    const taking = elsewhere({ takeOver: true });
    await expect.poll(() => refusals[0]).toBe('another run');
    await lease?.end();
    expect((await taking).run.host).toBe('barn');
  });

  it('hears once of each request to interrupt the agent', async () => {
    const lease = await take(randomUUID(), 10_000_000);
    const [run] = await held();
    const ask = () =>
      team.as('ada').call('interruptRun', { params: { name: 'ben' }, body: { since: run?.since ?? 0 } });
    await ask();
    lease?.onAsked();
    await expect.poll(() => interruptions).toEqual(['ada']);
    lease?.onAsked();
    await ask();
    lease?.onAsked();
    await expect.poll(() => interruptions).toEqual(['ada', 'ada']);
    expect(refusals).toEqual([]);
  });

  it('is given up when somebody stops the run, and shown until then', async () => {
    const lease = await take(randomUUID(), 10);
    const [run] = await held();
    await team.as('ada').call('stopRun', { params: { name: 'ben' }, body: { since: run?.since ?? 0 } });
    await expect.poll(() => refusals[0]).toBe('stop');
    expect(await held()).toMatchObject([{ runId: run?.runId }]);
    await lease?.end();
    expect(await held()).toEqual([]);
  });

  it('is refused by name while another run has it', async () => {
    await elsewhere();
    await expect(take(randomUUID())).rejects.toMatchObject({ reason: 'run_held' });
  });

  it('ends the run if the token is no longer accepted', async () => {
    const lease = await take(randomUUID());
    await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
    lease?.onPresence(frame);
    await expect.poll(() => refusals).toEqual(['credential']);
  });
});
