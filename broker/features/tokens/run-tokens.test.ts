import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { startMs } from './run-tokens.service.ts';

let team: TestBroker;
let now: number;
beforeEach(async () => {
  now = 1_800_000_000_000;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  team = await startTestBroker({
    onDisk: true,
    clock: () => now,
    members: { ada: ['admin'], ben: [], mia: ['members.manage'] },
  });
});
afterEach(async () => {
  await team.stop();
  vi.useRealTimers();
});

/** Time passes while the broker runs. */
function pass(ms: number): void {
  const endsAt = now + ms;
  while (now < endsAt) {
    now = Math.min(now + 20_000, endsAt);
    vi.advanceTimersByTime(250);
  }
}
const create = (by = 'ada', name = 'ben') =>
  team.as(by).call('createRunToken', { params: { name }, body: { label: 'run on mill' } });
const holder = (token: string) =>
  createClient(({ url, ...init }) =>
    fetch(team.url + url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  );
const expiryOf = async (id: string) =>
  (await team.as('ada').call('tokens', { params: { name: 'ben' } })).tokens.find((one) => one.id === id)
    ?.expiresAt;
/** A run with this token. `renew` returns when the token expires; a lease that lapsed is taken again first. */
async function runWith(token: string) {
  const id = randomUUID();
  const take = () => holder(token).call('takeRun', { body: { runId: id, host: 'mill', agent: 'sh' } });
  await take();
  return async () => {
    await take();
    return (await holder(token).call('renewRun', { params: { id } })).tokenExpiresAt;
  };
}

describe('the token of a manager’s run', () => {
  it('makes no credential that would outlive the run', async () => {
    const { token, tokenInfo } = await create('ada', 'ada');
    const run = holder(token);
    const params = { name: 'ada' };
    const { userCode } = await team.as('ben').call('enroll', { body: {} });
    const attempts = [
      () => run.call('createRunToken', { params, body: { label: 'another' } }),
      () => run.call('rotateToken', { params }),
      () => run.call('enrollTotp', { params }),
      () => run.call('createMember', { body: { name: 'eve', role: { title: 'x' }, permissions: [] } }),
      () => run.call('approveEnrollment', { body: { mode: 'bind', userCode, memberName: 'ada' } }),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({ status: 403, reason: 'run_makes_no_credentials' });
    await run.call('revokeToken', { params: { ...params, id: tokenInfo.id } });
  });
});

describe('POST /members/:name/run-tokens', () => {
  it('creates a token of the member that expires after an hour, also after a restart', async () => {
    const { token, tokenInfo } = await create();
    expect(tokenInfo).toMatchObject({
      memberName: 'ben',
      label: 'run on mill',
      origin: 'enroll',
      createdBy: 'ada',
      expiresAt: now + limits.run.tokenMs,
    });
    await team.restart();
    expect(await holder(token).call('session', {})).toMatchObject({ member: 'ben' });
    pass(limits.run.tokenMs);
    await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
    expect(await expiryOf(tokenInfo.id)).toBeUndefined();
  });

  it('is not limited like enrollments', async () => {
    for (let count = 0; count <= limits.enrollment.requestsPerHour; count++) await create();
  });

  it('answers 404 for an unknown member', async () => {
    await expect(create('ada', 'nobody')).rejects.toMatchObject({ reason: 'unknown_member' });
  });
});

describe('the token of a run', () => {
  it('is extended by the renewals of its run, once half of its time is over', async () => {
    const { token, tokenInfo } = await create();
    const first = tokenInfo.expiresAt;
    const renew = await runWith(token);
    expect(await renew()).toBe(first);
    pass(limits.run.tokenMs / 2);
    expect(await renew()).toBe(now + limits.run.tokenMs);
    await team.restart();
    pass(limits.run.tokenMs - 1);
    expect(await expiryOf(tokenInfo.id)).toBe(now + 1);
    expect(await renew()).toBe(now + limits.run.tokenMs);
  });

  it('ends when another run of the member takes the lease after its own run was killed', async () => {
    const [killed, other] = [await create(), await create('ada', 'ada')];
    await runWith(killed.token);
    const starting = await create();
    pass(limits.run.leaseMs + 1);
    const early = await create();
    pass(startMs / 2);
    const next = await create();
    await runWith(next.token);
    for (const { token } of [killed, starting])
      await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
    // One may be about to start, and the run of another member goes on.
    for (const { token } of [early, next, other]) await holder(token).call('session', {});
  });

  it('is left to its run if another one takes over, so that it ends in order', async () => {
    const { token } = await create();
    await runWith(token);
    pass(limits.run.leaseMs + startMs);
    const next = holder((await create()).token);
    await next.call('takeRun', { body: { runId: randomUUID(), host: 'mill', agent: 'sh', takeOver: true } });
    await holder(token).call('session', {});
  });

  it('is not extended by anything else that its holder does', async () => {
    const { token, tokenInfo } = await create();
    pass(limits.run.tokenMs - 1);
    await holder(token).call('roster', {});
    await expect(holder(token).call('renewRun', { params: { id: randomUUID() } })).rejects.toMatchObject({
      status: 404,
    });
    expect(await expiryOf(tokenInfo.id)).toBe(now + 1);
  });

  it.each([
    [
      'lost the right',
      () => team.as('ada').call('updateMember', { params: { name: 'mia' }, body: { permissions: [] } }),
    ],
    ['was removed', () => team.as('ada').call('deleteMember', { params: { name: 'mia' } })],
  ])('is not extended once the member who created it %s', async (_, lose) => {
    const { token, tokenInfo } = await create('mia');
    const renew = await runWith(token);
    await lose();
    pass(limits.run.tokenMs - 1);
    expect(await renew()).toBe(tokenInfo.expiresAt);
    pass(1);
    await expect(renew()).rejects.toMatchObject({ status: 401 });
  });

  it.each(['the machine slept', 'the broker was off'])(
    'outlives a time in which %s by two minutes, so that its run can renew it',
    async (cause) => {
      const { token, tokenInfo } = await create();
      const renew = await runWith(token);
      now += 10 * limits.run.tokenMs;
      if (cause === 'the broker was off') await team.restart();
      expect(await holder(token).call('session', {})).toMatchObject({ member: 'ben' });
      expect(await expiryOf(tokenInfo.id)).toBe(now + limits.run.respiteMs);
      pass(limits.run.respiteMs - 1);
      const other = await create();
      expect(await renew()).toBe(now + limits.run.tokenMs);
      pass(limits.run.tokenMs - 1);
      expect(await expiryOf(other.tokenInfo.id)).toBe(now + 1);
      pass(1);
      await expect(holder(other.token).call('session', {})).rejects.toMatchObject({ status: 401 });
    },
  );

  it('ends with a rotation, as every token', async () => {
    const { token } = await create();
    await team.as('ben').call('rotateToken', { params: { name: 'ben' } });
    await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
  });

  it('ends with a rotation of the member who created it, as the holder of a stolen token may keep it alive', async () => {
    const [{ token, tokenInfo }, other] = await Promise.all([create(), create('ada', 'mia')]);
    await team.as('ada').call('rotateToken', { params: { name: 'mia' } });
    await expect(holder(other.token).call('session', {})).rejects.toMatchObject({ status: 401 });
    expect(await holder(token).call('session', {})).toMatchObject({ member: 'ben' });
    const rotated = await team.as('ada').call('rotateToken', { params: { name: 'ada' } });
    await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
    const { records } = await holder(rotated.token).call('audit', { query: { kind: 'token_revoked' } });
    expect(records).toMatchObject([{ subject: 'ben', before: { tokenId: tokenInfo.id } }]);
  });

  it('leaves other tokens without an expiry', async () => {
    const renew = await runWith(team.token('ben'));
    expect(await renew()).toBeNull();
  });
});
