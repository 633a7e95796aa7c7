import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '#protocol/limits.ts';
import type { RunClaim } from '#protocol/run.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

/** The members for single tests. */
const others = Array.from({ length: 20 }, (_, n) => `m${n}`);
let given = 0;
/** Returns the name of a member that has done nothing yet. */
const nextMember = (): string => others[given++] ?? '';

let now = 1_800_000_000_000;
const start = () =>
  startTestBroker({
    onDisk: true,
    clock: () => now,
    members: {
      ada: ['admin'],
      ben: [],
      cy: ['operator'],
      ...Object.fromEntries(others.map((name) => [name, []])),
    },
  });
let team: TestBroker;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  team = await start();
});
afterAll(async () => {
  await team.stop();
  vi.useRealTimers();
});

/** Starts a broker for this test alone, which the functions below use until the test ends. */
async function startOwn(): Promise<void> {
  const shared = team;
  const own = await start();
  team = own;
  onTestFinished(() => {
    team = shared;
    return own.stop();
  });
}

const claimOf = (over: Partial<RunClaim> = {}): RunClaim => ({
  runId: randomUUID(),
  host: 'mill',
  agent: 'Claude Code 2',
  ...over,
});
const take = (name: string, claim: RunClaim) => team.as(name).call('takeRun', { body: claim });
const renew = (name: string, id: string) => team.as(name).call('renewRun', { params: { id } });
const end = (name: string, id: string) => team.as(name).call('endRun', { params: { id } });
const runsOf = async (name: string) =>
  (await team.as('ada').call('runs', {})).runs.filter(({ member }) => member === name);
const presence = async (name: string) =>
  (await team.as('ada').call('roster', {})).connected.find((one) => one.name === name);
/** Time passes, and the broker looks at the clock. */
function pass(ms: number): void {
  now += ms;
  vi.advanceTimersByTime(1000);
}

describe('the lease of a member', () => {
  it('is held by one run at a time, and the refusal names it', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const first = claimOf({ pid: 7 });
    const { run } = await take(member, first);
    expect(run).toEqual({
      runId: first.runId,
      member,
      host: 'mill',
      agent: 'Claude Code 2',
      pid: 7,
      since: now,
      isResponding: true,
    });
    now += 1000;
    await expect(take(member, claimOf({ host: 'barn' }))).rejects.toMatchObject({
      status: 409,
      reason: 'run_held',
      message: `${member} runs on mill since ${new Date(run.since).toISOString()}; pass --take-over to end that run`,
      details: { host: 'mill', since: run.since, agent: 'Claude Code 2', runId: first.runId },
    });
    expect((await take(other, claimOf())).run.member).toBe(other);
    expect((await take(member, first)).run).toEqual(run);
  });

  it('is free after its run has ended, and ends for no other run', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const first = claimOf();
    await take(member, first);
    await end(member, randomUUID());
    await end(other, first.runId);
    await expect(take(member, claimOf())).rejects.toMatchObject({ reason: 'run_held' });
    await end(member, first.runId);
    const second = claimOf();
    await take(member, second);
    await expect(renew(member, first.runId)).rejects.toMatchObject({ reason: 'run_taken_over', status: 409 });
    await expect(renew(member, 'no-run')).rejects.toMatchObject({ reason: 'unknown_run', status: 404 });
  });

  it('lapses 45 s after the last renewal, and can then be taken', async () => {
    const member = nextMember();
    const first = claimOf();
    await take(member, first);
    pass(limits.run.leaseMs - 1);
    await renew(member, first.runId);
    pass(limits.run.leaseMs - 1);
    await expect(take(member, claimOf())).rejects.toMatchObject({ reason: 'run_held' });
    pass(1);
    await take(member, claimOf({ host: 'barn' }));
    await expect(renew(member, first.runId)).rejects.toThrow(`another run of ${member} on barn took over`);
  });

  it('begins without what an earlier run reported about its model', async () => {
    const member = nextMember();
    const first = claimOf();
    await take(member, first);
    await team.as(member).call('reportModel', { body: { state: 'refusing', cause: 'login' } });
    await take(member, first);
    expect((await presence(member))?.model).toMatchObject({ cause: 'login' });
    await take(member, claimOf({ replaces: [first.runId] }));
    expect((await presence(member))?.model).toBeUndefined();
  });

  it('passes at once to a run that replaces the one that holds it, and to no run that replaces another', async () => {
    const member = nextMember();
    const first = claimOf();
    await take(member, first);
    await expect(take(member, claimOf({ replaces: [randomUUID()] }))).rejects.toMatchObject({
      reason: 'run_held',
    });
    await take(member, claimOf({ replaces: [randomUUID(), first.runId] }));
  });

  it('is still held after a restart of the broker, until a lapse', async () => {
    await startOwn();
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
    const member = nextMember();
    await take(member, claimOf());
    await team.as('ada').call('deleteMember', { params: { name: member } });
    expect(await runsOf(member)).toEqual([]);
  });
});

describe('taking over', () => {
  it('tells the other run, waits until it has ended, and then gets the lease', async () => {
    await startOwn();
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
    const member = nextMember();
    const first = claimOf();
    await take(member, first);
    const all = Promise.allSettled([1, 2, 3].map(() => take(member, claimOf({ takeOver: true }))));
    await expect.poll(() => renew(member, first.runId).then(Boolean, () => false)).toBe(false);
    await end(member, first.runId);
    expect((await all).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await runsOf(member)).toHaveLength(1);
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
    await startOwn();
    await take('ben', claimOf());
    await take('cy', claimOf());
    const seen = async (name: string) =>
      (await team.as(name).call('runs', {})).runs.map(({ member }) => member).sort();
    expect(await seen('ada')).toEqual(['ben', 'cy']);
    expect(await seen('ben')).toEqual(['ben']);
  });

  it('shows the run in the presence of its member: not responding while only its stream is open', async () => {
    const member = nextMember();
    const first = claimOf();
    await take(member, first);
    const stream = await team.stream(member);
    const run = { host: 'mill', agent: 'Claude Code 2', since: now, isResponding: true };
    expect(await presence(member)).toMatchObject({ connected: 1, run });
    pass(limits.run.leaseMs);
    expect(await presence(member)).toMatchObject({ connected: 1, run: { ...run, isResponding: false } });
    await renew(member, first.runId);
    expect(await presence(member)).toMatchObject({ run });
    pass(limits.run.leaseMs);
    stream.close();
    await expect.poll(async () => (await presence(member))?.connected).toBe(0);
    expect(await presence(member)).not.toHaveProperty('run');
    await expect(renew(member, first.runId)).rejects.toMatchObject({ reason: 'unknown_run' });
  });

  it('forgets a lapsed lease of a member who is not connected', async () => {
    await startOwn();
    await take('ben', claimOf());
    pass(limits.run.leaseMs);
    expect(await presence('ben')).not.toHaveProperty('run');
    await team.restart();
    expect((await team.as('ada').call('runs', {})).runs).toEqual([]);
  });
});

describe('what reaches an agent', () => {
  it('is in presence and in the list of runs as the last renewal said, and not after a renewal without it', async () => {
    const member = nextMember();
    const claim = claimOf();
    expect((await take(member, claim)).run).not.toHaveProperty('reach');
    const renewed = await team
      .as(member)
      .call('renewRun', { params: { id: claim.runId }, body: { reach: 'nothing' } });
    expect(renewed.run).toMatchObject({ runId: claim.runId, reach: 'nothing' });
    expect((await presence(member))?.run).toMatchObject({ host: 'mill', reach: 'nothing' });
    expect(await runsOf(member)).toMatchObject([{ reach: 'nothing' }]);
    await renew(member, claim.runId);
    expect((await presence(member))?.run).not.toHaveProperty('reach');
    expect((await runsOf(member))[0]).not.toHaveProperty('reach');
  });

  it('ends with the run', async () => {
    const member = nextMember();
    const claim = claimOf();
    await take(member, claim);
    await team.as(member).call('renewRun', { params: { id: claim.runId }, body: { reach: 'messages' } });
    const next = claimOf();
    const { run } = await take(member, { ...next, replaces: [claim.runId] });
    expect(run).not.toHaveProperty('reach');
  });
});

describe('a repeated claim', () => {
  it('renews the lease of its run, with what reaches the agent', async () => {
    const member = nextMember();
    const claim = claimOf({ pid: 7 });
    const { run } = await take(member, claim);
    await team.as(member).call('renewRun', { params: { id: claim.runId }, body: { reach: 'nothing' } });
    pass(limits.run.leaseMs - 1);
    expect((await take(member, claim)).run).toEqual({ ...run, reach: 'nothing' });
    pass(limits.run.leaseMs - 1);
    expect(await runsOf(member)).toEqual([{ ...run, reach: 'nothing' }]);
  });
});

describe('POST /members/:name/interrupt-run', () => {
  const interrupt = (by: string, name: string, since: number) =>
    team.as(by).call('interruptRun', { params: { name }, body: { since } });

  it('is in the answers to renewals for a minute, each request with an id of its own', async () => {
    const member = nextMember();
    const claim = claimOf();
    const { run } = await take(member, claim);
    expect(await renew(member, claim.runId)).not.toHaveProperty('interruption');
    await interrupt('ada', member, run.since);
    const first = (await renew(member, claim.runId)).interruption;
    expect(first).toMatchObject({ by: 'ada' });
    expect((await renew(member, claim.runId)).interruption).toEqual(first);
    await interrupt(member, member, run.since);
    const second = (await renew(member, claim.runId)).interruption;
    expect(second).toMatchObject({ by: member });
    expect(second?.id).not.toBe(first?.id);
    now += limits.run.askMs;
    expect(await renew(member, claim.runId)).not.toHaveProperty('interruption');
  });

  it('is for the run that was meant only, for those who may, and in the audit log', async () => {
    const member = nextMember();
    const claim = claimOf();
    const { run } = await take(member, claim);
    await expect(interrupt('ada', member, run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(interrupt('cy', member, run.since)).rejects.toMatchObject({ status: 403 });
    await interrupt('ada', member, run.since);
    await end(member, claim.runId);
    const next = claimOf();
    await take(member, next);
    expect(await renew(member, next.runId)).not.toHaveProperty('interruption');
    const { records } = await team.as('ada').call('audit', { query: { kind: 'run_interrupted' } });
    expect(records.filter(({ subject }) => subject === member)).toMatchObject([
      { subject: member, member: 'ada', before: { host: 'mill' }, after: null },
    ]);
  });
});

describe('POST /members/:name/stop-run', () => {
  const stop = (by: string, name: string, since: number) =>
    team.as(by).call('stopRun', { params: { name }, body: { since } });

  it('refuses the renewals of the run, which is shown until it returns its lease', async () => {
    const member = nextMember();
    const claim = claimOf();
    const { run } = await take(member, claim);
    await stop('ada', member, run.since);
    await expect(renew(member, claim.runId)).rejects.toMatchObject({
      ...{ status: 409, reason: 'run_stopped' },
      message: expect.stringContaining(`ada stopped the run of ${member}`),
    });
    expect(await runsOf(member)).toMatchObject([{ runId: claim.runId }]);
    await end(member, claim.runId);
    expect(await runsOf(member)).toEqual([]);
    const next = claimOf();
    await take(member, next);
    expect((await renew(member, next.runId)).run.runId).toBe(next.runId);
  });

  it('says in the audit log who stopped it, once', async () => {
    const member = nextMember();
    const claim = claimOf();
    const { run } = await take(member, claim);
    await stop('ada', member, run.since);
    await stop(member, member, run.since);
    await expect(stop('ada', member, run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    const { records } = await team.as('ada').call('audit', { query: { kind: 'run_stopped' } });
    expect(records.filter(({ subject }) => subject === member)).toMatchObject([
      {
        ...{ subject: member, member: 'ada', via: 'request', after: null },
        before: { host: 'mill', agent: 'Claude Code 2', startedAt: run.since },
      },
    ]);
  });

  it('lets a run work on that has not ended after a minute', async () => {
    const member = nextMember();
    const claim = claimOf();
    const { run } = await take(member, claim);
    await stop(member, member, run.since);
    now += limits.run.askMs - 1;
    await expect(renew(member, claim.runId)).rejects.toMatchObject({ reason: 'run_stopped' });
    now += 1;
    expect((await renew(member, claim.runId)).run.runId).toBe(claim.runId);
  });

  it('is for the run that was meant only, and for those who may', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const claim = claimOf();
    const { run } = await take(member, claim);
    await expect(stop('ada', member, run.since - 1)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(stop('ada', other, run.since)).rejects.toMatchObject({ reason: 'unknown_run' });
    await expect(stop('cy', member, run.since)).rejects.toMatchObject({ status: 403 });
    expect((await renew(member, claim.runId)).run.runId).toBe(claim.runId);
  });
});
