import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '#protocol/limits.ts';
import type { RunClaim } from '#protocol/run.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
let now: number;
beforeEach(async () => {
  now = 1_800_000_000_000;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  team = await startTestBroker({ onDisk: true, clock: () => now });
});
afterEach(async () => {
  await team.stop();
  vi.useRealTimers();
});

const claimOf = (over: Partial<RunClaim> = {}): RunClaim => ({
  runId: randomUUID(),
  host: 'mill',
  agent: 'Claude Code 2',
  ...over,
});
const take = (name: string, claim: RunClaim) => team.as(name).call('takeRun', { body: claim });
const renew = (name: string, id: string) => team.as(name).call('renewRun', { params: { id } });
const end = (name: string, id: string) => team.as(name).call('endRun', { params: { id } });
const presence = async (name: string) =>
  (await team.as('ada').call('roster', {})).connected.find((one) => one.name === name);
/** Time passes, and the broker looks at the clock. */
function pass(ms: number): void {
  now += ms;
  vi.advanceTimersByTime(1000);
}

describe('the lease of a member', () => {
  it('is held by one run at a time, and the refusal names it', async () => {
    const first = claimOf({ pid: 7 });
    const { run } = await take('ben', first);
    expect(run).toEqual({
      runId: first.runId,
      member: 'ben',
      host: 'mill',
      agent: 'Claude Code 2',
      pid: 7,
      since: now,
      isResponding: true,
    });
    now += 1000;
    await expect(take('ben', claimOf({ host: 'barn' }))).rejects.toMatchObject({
      status: 409,
      reason: 'run_held',
      message: 'ben runs on mill since 2027-01-15T08:00:00.000Z; pass --take-over to end that run',
      details: { host: 'mill', since: run.since, agent: 'Claude Code 2', runId: first.runId },
    });
    expect((await take('cy', claimOf())).run.member).toBe('cy');
    expect((await take('ben', first)).run).toEqual(run);
  });

  it('is free after its run has ended, and ends for no other run', async () => {
    const first = claimOf();
    await take('ben', first);
    await end('ben', randomUUID());
    await end('cy', first.runId);
    await expect(take('ben', claimOf())).rejects.toMatchObject({ reason: 'run_held' });
    await end('ben', first.runId);
    const second = claimOf();
    await take('ben', second);
    await expect(renew('ben', first.runId)).rejects.toMatchObject({ reason: 'run_taken_over', status: 409 });
  });

  it('lapses 45 s after the last renewal, and can then be taken', async () => {
    const first = claimOf();
    await take('ben', first);
    pass(limits.run.leaseMs - 1);
    await renew('ben', first.runId);
    pass(limits.run.leaseMs - 1);
    await expect(take('ben', claimOf())).rejects.toMatchObject({ reason: 'run_held' });
    pass(1);
    await take('ben', claimOf({ host: 'barn' }));
    await expect(renew('ben', first.runId)).rejects.toThrow('another run of ben on barn took over');
  });

  it('passes at once to a run that replaces the one that holds it, and to no run that replaces another', async () => {
    const first = claimOf();
    await take('ben', first);
    await expect(take('ben', claimOf({ replaces: [randomUUID()] }))).rejects.toMatchObject({
      reason: 'run_held',
    });
    await take('ben', claimOf({ replaces: [randomUUID(), first.runId] }));
  });

  it('is still held after a restart of the broker, until a lapse', async () => {
    const first = claimOf();
    const { run } = await take('ben', first);
    await team.restart();
    await expect(take('ben', claimOf())).rejects.toMatchObject({ reason: 'run_held' });
    expect((await renew('ben', first.runId)).run).toEqual(run);
    await end('ben', first.runId);
    await team.restart();
    await expect(renew('ben', first.runId)).rejects.toMatchObject({ reason: 'unknown_run', status: 404 });
  });

  it('ends with its member', async () => {
    await take('ben', claimOf());
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    expect((await team.as('ada').call('runs', {})).runs).toEqual([]);
  });
});

describe('taking over', () => {
  it('tells the other run, waits until it has ended, and then gets the lease', async () => {
    const first = claimOf();
    const { run } = await take('ben', first);
    const stream = await team.fetch('ben', '/subscribe?name=ben&events=all');
    const second = claimOf({ host: 'barn', takeOver: true });
    let isTaken = false;
    const taking = take('ben', second).then(() => {
      isTaken = true;
    });
    await expect
      .poll(() =>
        renew('ben', first.runId).then(
          () => null,
          (error: Error) => error.message,
        ),
      )
      .toBe('another run of ben on barn took over');
    await expect(take('ben', first)).rejects.toMatchObject({ reason: 'run_taken_over' });
    expect(isTaken).toBe(false);
    await end('ben', first.runId);
    await taking;
    expect((await team.as('ben').call('runs', {})).runs).toMatchObject([{ runId: second.runId }]);
    const told = await readUntil(stream, '"barn"');
    expect(told[0]).not.toHaveProperty('run');
    expect(told.at(-1)).toMatchObject({ name: 'ben', run: { host: 'barn' } });
    expect(run.host).toBe('mill');
  });

  it('gives the lease to one of several runs that take over at once', async () => {
    const first = claimOf();
    await take('ben', first);
    const all = Promise.allSettled([1, 2, 3].map(() => take('ben', claimOf({ takeOver: true }))));
    await expect.poll(() => renew('ben', first.runId).then(Boolean, () => false)).toBe(false);
    await end('ben', first.runId);
    expect((await all).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await team.as('ada').call('runs', {})).runs).toHaveLength(1);
  });
});

/** The presence frames of ben, until one of them contains the text. */
async function readUntil(stream: Response, text: string): Promise<{ name: string }[]> {
  let said = '';
  const frames = () =>
    [...said.matchAll(/^event: presence\ndata: (.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data) as { name: string; connected: number })
      .filter(({ name, connected }) => name === 'ben' && connected > 0);
  for await (const chunk of stream.body ?? []) {
    said += Buffer.from(chunk).toString('utf8');
    if (frames().some((frame) => JSON.stringify(frame).includes(text))) break;
  }
  const found = frames();
  return found.slice(found.findIndex((frame) => !('run' in frame)));
}

describe('who sees runs', () => {
  it('shows managers all of them, and others their own', async () => {
    await take('ben', claimOf());
    await take('cy', claimOf());
    const seen = async (name: string) =>
      (await team.as(name).call('runs', {})).runs.map(({ member }) => member).sort();
    expect(await seen('ada')).toEqual(['ben', 'cy']);
    expect(await seen('ben')).toEqual(['ben']);
  });

  it('shows the run in the presence of its member: not responding while only its stream is open', async () => {
    const first = claimOf();
    await take('ben', first);
    const stream = await team.stream('ben');
    const run = { host: 'mill', agent: 'Claude Code 2', since: now, isResponding: true };
    expect(await presence('ben')).toMatchObject({ connected: 1, run });
    pass(limits.run.leaseMs);
    expect(await presence('ben')).toMatchObject({ connected: 1, run: { ...run, isResponding: false } });
    await renew('ben', first.runId);
    expect(await presence('ben')).toMatchObject({ run });
    pass(limits.run.leaseMs);
    stream.close();
    await expect.poll(async () => (await presence('ben'))?.connected).toBe(0);
    expect(await presence('ben')).not.toHaveProperty('run');
    await expect(renew('ben', first.runId)).rejects.toMatchObject({ reason: 'unknown_run' });
  });

  it('forgets a lapsed lease of a member who is not connected', async () => {
    await take('ben', claimOf());
    pass(limits.run.leaseMs);
    expect(await presence('ben')).not.toHaveProperty('run');
    await team.restart();
    expect((await team.as('ada').call('runs', {})).runs).toEqual([]);
  });
});

describe('POST /members/:name/interrupt-run', () => {
  const interrupt = (by: string, name: string, since: number) =>
    team.as(by).call('interruptRun', { params: { name }, body: { since } });

  it('is in the answers to renewals for a minute, each request with an id of its own', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    expect(await renew('ben', claim.runId)).not.toHaveProperty('interruption');
    await interrupt('ada', 'ben', run.since);
    const first = (await renew('ben', claim.runId)).interruption;
    expect(first).toMatchObject({ by: 'ada' });
    expect((await renew('ben', claim.runId)).interruption).toEqual(first);
    await interrupt('ben', 'ben', run.since);
    const second = (await renew('ben', claim.runId)).interruption;
    expect(second).toMatchObject({ by: 'ben' });
    expect(second?.id).not.toBe(first?.id);
    now += limits.run.askMs;
    expect(await renew('ben', claim.runId)).not.toHaveProperty('interruption');
  });

  it('is for the run that was meant only, for those who may, and in the audit log', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    await expect(interrupt('ada', 'ben', run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(interrupt('cy', 'ben', run.since)).rejects.toMatchObject({ status: 403 });
    await interrupt('ada', 'ben', run.since);
    await end('ben', claim.runId);
    const next = claimOf();
    await take('ben', next);
    expect(await renew('ben', next.runId)).not.toHaveProperty('interruption');
    const { records } = await team.as('ada').call('audit', { query: { kind: 'run_interrupted' } });
    expect(records).toMatchObject([{ subject: 'ben', member: 'ada', before: { host: 'mill' }, after: null }]);
  });
});

describe('POST /members/:name/stop-run', () => {
  const stop = (by: string, name: string, since: number) =>
    team.as(by).call('stopRun', { params: { name }, body: { since } });

  it('refuses the renewals of the run, which is shown until it returns its lease', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    await stop('ada', 'ben', run.since);
    await expect(renew('ben', claim.runId)).rejects.toMatchObject({
      ...{ status: 409, reason: 'run_stopped' },
      message: expect.stringContaining('ada stopped the run of ben'),
    });
    expect((await team.as('ada').call('runs', {})).runs).toMatchObject([{ runId: claim.runId }]);
    await end('ben', claim.runId);
    expect((await team.as('ada').call('runs', {})).runs).toEqual([]);
    const next = claimOf();
    await take('ben', next);
    expect((await renew('ben', next.runId)).run.runId).toBe(next.runId);
  });

  it('says in the audit log who stopped it, once', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    await stop('ada', 'ben', run.since);
    await stop('ben', 'ben', run.since);
    await expect(stop('ada', 'ben', run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    const { records } = await team.as('ada').call('audit', { query: { kind: 'run_stopped' } });
    expect(records).toMatchObject([
      {
        ...{ subject: 'ben', member: 'ada', via: 'request', after: null },
        before: { host: 'mill', agent: 'Claude Code 2', startedAt: run.since },
      },
    ]);
  });

  it('lets a run work on that has not ended after a minute', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    await stop('ben', 'ben', run.since);
    now += limits.run.askMs - 1;
    await expect(renew('ben', claim.runId)).rejects.toMatchObject({ reason: 'run_stopped' });
    now += 1;
    expect((await renew('ben', claim.runId)).run.runId).toBe(claim.runId);
  });

  it('is for the run that was meant only, and for those who may', async () => {
    const claim = claimOf();
    const { run } = await take('ben', claim);
    await expect(stop('ada', 'ben', run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(stop('ada', 'cy', run.since)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(stop('cy', 'ben', run.since)).rejects.toMatchObject({ status: 403 });
    expect((await renew('ben', claim.runId)).run.runId).toBe(claim.runId);
  });
});
