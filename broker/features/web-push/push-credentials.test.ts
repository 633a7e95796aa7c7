import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mintVapidKeys } from '../../security/vapid.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  logInWith,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { type PushReceiver, startPushReceiver } from './testing/push-receiver.ts';

const vapid = mintVapidKeys();
const webPush = { vapidPublicKey: vapid.publicKey, vapidPrivateKey: vapid.privateKey };
let now: number;
let team: TestBroker;
let receiver: PushReceiver;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  // The broker's periodic work runs when a test lets time pass.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  receiver = await startPushReceiver();
  team = await startTestBroker({
    onDisk: true,
    clock: () => now,
    config: { webPush, outbound: { allowHosts: ['127.0.0.1'] } },
  });
});
afterEach(async () => {
  await team.stop();
  await receiver.close();
  vi.useRealTimers();
});

const stored = () => storeRows(join(team.folder, 'main.db'), 'SELECT id FROM push_subscription');
const listOf = async (name: string) => (await team.as(name).call('pushSubscriptions', {})).subscriptions;
const subscribe = (name: string, path?: string) =>
  team.as(name).call('subscribePush', { body: receiver.subscription(path) });

/** Two messages to everybody: what reached cy, in order, shows that nothing went elsewhere meanwhile. */
async function expectPushedToCyOnly(): Promise<void> {
  await subscribe('cy', '/cy');
  for (const body of ['one', 'two']) await team.as('ada').call('push', { body: { body, level: 'error' } });
  await expect.poll(() => receiver.received.filter(({ path }) => path === '/cy')).toHaveLength(2);
  expect(receiver.received.filter(({ path }) => path !== '/cy')).toEqual([]);
}

/** Each login uses a code of its own. */
async function logIn(secret: string): Promise<string> {
  now += 30_000;
  return cookieOf(await logInWith(team, codeAt(secret, now), 'ben'));
}

async function subscribedSession(body: object = receiver.subscription('/ben')) {
  const secret = await bindAuthenticator(team, 'ben');
  const cookie = await logIn(secret);
  const reply = await withCookie(team, cookie, '/push/subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/144.0' },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(201);
  return { secret, cookie, id: ((await reply.json()) as { id: string }).id };
}

describe('a push subscription ends with the credential that made it', () => {
  it('when the member’s token is rotated: a stolen bearer gets no more messages', async () => {
    await subscribe('ben', '/ben');
    await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
    await expect.poll(stored).toEqual([]);
    await expectPushedToCyOnly();
  });

  it('when its token is revoked, and not when another one is', async () => {
    const run = (label: string) =>
      team.as('ada').call('createRunToken', { params: { name: 'ben' }, body: { label } });
    const [own, other] = [await run('own'), await run('other')];
    const reply = await fetch(`${team.url}/push/subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${own.token}` },
      body: JSON.stringify(receiver.subscription('/ben')),
    });
    expect(reply.status).toBe(201);
    const revoke = (id: string) => team.as('ada').call('revokeToken', { params: { name: 'ben', id } });
    await revoke(other.tokenInfo.id);
    expect(await listOf('ben')).toMatchObject([{ credential: { plane: 'bearer', id: own.tokenInfo.id } }]);
    await revoke(own.tokenInfo.id);
    expect(await listOf('ben')).toEqual([]);
    await expectPushedToCyOnly();
  });

  it('when its session logs out', async () => {
    const { cookie } = await subscribedSession();
    await withCookie(team, cookie, '/session/logout', { method: 'POST' });
    expect(await listOf('ben')).toEqual([]);
    await expectPushedToCyOnly();
  });

  it('when its session expires', async () => {
    await subscribedSession();
    now += 8 * 86_400_000;
    vi.advanceTimersByTime(1000);
    expect(await listOf('ben')).toEqual([]);
    await expect.poll(stored).toEqual([]);
  });

  it('when its member binds another authenticator', async () => {
    await subscribedSession();
    await bindAuthenticator(team, 'ben', 'ada');
    expect(await listOf('ben')).toEqual([]);
  });

  it('also if the broker stopped before it removed the subscription', async () => {
    await subscribedSession();
    await team.broker.close();
    changeStore(join(team.folder, 'main.db'), 'DELETE FROM session');
    await team.restart();
    await expect.poll(stored).toEqual([]);
    await expectPushedToCyOnly();
  });

  it('and not with a restart, a renewal of its session, or the end of another session', async () => {
    const { secret, cookie, id } = await subscribedSession();
    const other = await logIn(secret);
    await team.restart();
    await withCookie(team, cookie, '/session');
    await withCookie(team, other, '/session/logout', { method: 'POST' });
    expect(await listOf('ben')).toMatchObject([{ id }]);
    await team.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
    await receiver.until(1);
  });

  it('and belongs to the credential that registered it last', async () => {
    const body = receiver.subscription('/ben');
    const { id } = await team.as('ben').call('subscribePush', { body });
    const { cookie } = await subscribedSession(body);
    expect(await listOf('ben')).toMatchObject([{ id, credential: { plane: 'session' } }]);
    await withCookie(team, cookie, '/session/logout', { method: 'POST' });
    expect(await listOf('ben')).toEqual([]);
  });
});

describe('GET /push/subscriptions', () => {
  it('lists the caller’s own ones without their endpoints: host, device, credential, and last delivery', async () => {
    const { cookie, id } = await subscribedSession();
    await subscribe('cy');
    const reply = await withCookie(team, cookie, '/push/subscriptions');
    const text = await reply.text();
    const [session] = (await team.as('ben').call('sessions', { query: {} })).sessions;
    expect(JSON.parse(text)).toEqual({
      subscriptions: [
        {
          id,
          host: new URL(receiver.origin).host,
          device: 'Firefox on Linux',
          createdAt: now,
          lastSuccessAt: null,
          lastFailureAt: null,
          credential: { plane: 'session', id: session?.id },
          current: true,
        },
      ],
    });
    expect(text).not.toContain('/ben');
  });

  it('says when the push service last took a message and when it last refused one, also after a restart', async () => {
    await subscribe('ben');
    receiver.answers.push({ status: 400 });
    await team.as('ada').call('push', { body: { to: 'ben', body: 'refused' } });
    await expect.poll(() => listOf('ben')).toMatchObject([{ lastSuccessAt: null, lastFailureAt: now }]);
    const failedAt = now;
    now += 60_000;
    await team.as('ada').call('push', { body: { to: 'ben', body: 'taken' } });
    const both = [{ lastSuccessAt: now, lastFailureAt: failedAt, current: true }];
    await expect.poll(() => listOf('ben')).toMatchObject(both);
    await team.restart();
    expect(await listOf('ben')).toMatchObject(both);
  });
});
