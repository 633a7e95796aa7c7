import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

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

const create = (by = 'ada', name = 'ben') =>
  team.as(by).call('createRunToken', { params: { name }, body: { label: 'run on mill' } });
const holder = (token: string) =>
  createClient(({ url, ...init }) =>
    fetch(team.url + url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  );
const expiryOf = async (id: string) =>
  (await team.as('ada').call('tokens', { params: { name: 'ben' } })).tokens.find((one) => one.id === id)
    ?.expiresAt;
/** A run with this token that holds the lease; `renew` returns when the token expires. */
async function runWith(token: string) {
  const id = randomUUID();
  const body = { runId: id, host: 'mill', agent: 'sh' };
  await holder(token).call('takeRun', { body });
  return async () => (await holder(token).call('renewRun', { params: { id } })).tokenExpiresAt;
}

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
    now += limits.run.tokenMs;
    await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
    vi.advanceTimersByTime(1000);
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
    now += limits.run.tokenMs / 2;
    expect(await renew()).toBe(now + limits.run.tokenMs);
    await team.restart();
    now += limits.run.tokenMs - 1;
    expect(await expiryOf(tokenInfo.id)).toBe(now + 1);
    expect(await renew()).toBe(now + limits.run.tokenMs);
  });

  it('is not extended by anything else that its holder does', async () => {
    const { token, tokenInfo } = await create();
    now += limits.run.tokenMs - 1;
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
    now += limits.run.tokenMs - 1;
    expect(await renew()).toBe(tokenInfo.expiresAt);
    now += 1;
    await expect(renew()).rejects.toMatchObject({ status: 401 });
  });

  it('ends with a rotation, as every token', async () => {
    const { token } = await create();
    await team.as('ben').call('rotateToken', { params: { name: 'ben' } });
    await expect(holder(token).call('session', {})).rejects.toMatchObject({ status: 401 });
  });

  it('leaves other tokens without an expiry', async () => {
    const renew = await runWith(team.token('ben'));
    expect(await renew()).toBeNull();
  });
});
