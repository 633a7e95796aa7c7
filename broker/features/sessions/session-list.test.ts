import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import type { SessionInfo } from '#protocol/session.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  cookieStream,
  postJson,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const step = 30_000;
const start = Date.UTC(2026, 5, 1);
let now: number;
let team: TestBroker;
let secret: string;
beforeEach(async () => {
  now = start;
  team = await startTestBroker({ clock: () => now, onDisk: true });
  secret = await bindAuthenticator(team, 'ben');
});
afterEach(() => team.stop());

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';

/** Each login uses a code of its own. */
async function logIn(userAgent = firefox): Promise<string> {
  now += step;
  const body = { code: codeAt(secret, now), member: 'ben' };
  const reply = await postJson(team, '/session/totp', body, { 'user-agent': userAgent });
  expect(reply.status).toBe(200);
  return cookieOf(reply);
}

const statusOf = async (cookie: string, path = '/session', init: RequestInit = {}): Promise<number> =>
  (await withCookie(team, cookie, path, init)).status;

async function listed(cookie: string): Promise<SessionInfo[]> {
  const reply = await withCookie(team, cookie, '/sessions');
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { sessions: SessionInfo[] }).sessions;
}
const currentId = async (cookie: string) => (await listed(cookie)).find(({ current }) => current)?.id;

describe('GET /sessions', () => {
  it('lists the caller’s sessions with device, address, and last use, most recently used first', async () => {
    const first = await logIn('curl/8.5.0');
    const second = await logIn();
    now += 90_000;
    const sessions = await listed(second);
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        memberName: 'ben',
        device: 'Firefox on Linux',
        address: '127.0.0.1',
        createdAt: start + 2 * step,
        lastUsedAt: start + 2 * step + 60_000,
        expiresAt: now + limits.session.lifetimeMs,
        current: true,
        bound: false,
      },
      expect.objectContaining({ device: 'curl', current: false, createdAt: start + step }),
    ]);
    expect(JSON.stringify(sessions)).not.toContain(second.slice('svc_session='.length));
    expect(sessions[1]?.id).toBe(await currentId(first));
  });

  it('is the same after a restart, for the member’s bearer, and for a manager; others are refused', async () => {
    const cookie = await logIn();
    await team.restart();
    const own = (await team.as('ben').call('sessions', { query: {} })).sessions;
    expect(own).toMatchObject([{ device: 'Firefox on Linux', address: '127.0.0.1', current: false }]);
    expect((await team.as('ada').call('sessions', { query: { member: 'ben' } })).sessions).toEqual(own);
    expect((await team.as('ada').call('sessions', { query: {} })).sessions).toEqual([]);
    expect((await team.fetch('cy', '/sessions?member=ben')).status).toBe(403);
    expect((await team.fetch('ada', '/sessions?member=nobody')).status).toBe(404);
    expect(await statusOf(cookie)).toBe(200);
  });
});

describe('DELETE /sessions/:id', () => {
  it('ends one session of the member and its streams, for good', async () => {
    const [kept, ended] = [await logIn(), await logIn()];
    const stream = await cookieStream(team, ended, 'ben');
    const id = await currentId(ended);
    expect(await statusOf(kept, `/sessions/${id}`, { method: 'DELETE' })).toBe(204);
    await stream.ended;
    expect(await statusOf(ended)).toBe(401);
    expect(await statusOf(kept)).toBe(200);
    await team.restart();
    expect(await statusOf(ended)).toBe(401);
    expect(await statusOf(kept, `/sessions/${id}`, { method: 'DELETE' })).toBe(404);
  });

  it('is for the member and managers, and finds only sessions of the named member', async () => {
    const cookie = await logIn();
    const id = await currentId(cookie);
    const end = async (by: string, query = '') =>
      (await team.fetch(by, `/sessions/${id}${query}`, { method: 'DELETE' })).status;
    expect(await end('cy', '?member=ben')).toBe(403);
    expect(await end('cy')).toBe(404);
    expect(await end('ada')).toBe(404);
    expect(await statusOf(cookie)).toBe(200);
    expect(await end('ada', '?member=ben')).toBe(204);
    expect(await statusOf(cookie)).toBe(401);
  });
});

describe('DELETE /sessions', () => {
  it('ends every session of the member, the caller’s own included, and nobody else’s', async () => {
    const adas = await bindAuthenticator(team, 'ada');
    const other = cookieOf(await postJson(team, '/session/totp', { code: codeAt(adas, now), member: 'ada' }));
    const [one, two] = [await logIn(), await logIn()];
    expect(await statusOf(one, '/sessions', { method: 'DELETE' })).toBe(204);
    expect(await Promise.all([one, two, other].map((cookie) => statusOf(cookie)))).toEqual([401, 401, 200]);
    await team.restart();
    expect(await Promise.all([one, two, other].map((cookie) => statusOf(cookie)))).toEqual([401, 401, 200]);
  });

  it('keeps the current session if the request asks for it', async () => {
    const [one, two] = [await logIn(), await logIn()];
    expect(await statusOf(one, '/sessions?keep=current', { method: 'DELETE' })).toBe(204);
    expect([await statusOf(one), await statusOf(two)]).toEqual([200, 401]);
  });
});

describe('rotating a member’s token', () => {
  it('ends the member’s sessions and their streams, so that none of them rotates back', async () => {
    const cookie = await logIn();
    const stream = await cookieStream(team, cookie, 'ben');
    await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
    await stream.ended;
    expect(await statusOf(cookie, '/members/ben/rotate-token', { method: 'POST' })).toBe(401);
    await team.restart();
    expect(await statusOf(cookie)).toBe(401);
  });

  it('keeps the session that rotates, which is shown the new token', async () => {
    const [own, thiefs] = [await logIn(), await logIn()];
    expect(await statusOf(own, '/members/ben/rotate-token', { method: 'POST' })).toBe(200);
    expect([await statusOf(own), await statusOf(thiefs)]).toEqual([200, 401]);
  });

  it('ends sessions also if the primary token is only revoked, and not for another token', async () => {
    const primary = (await team.as('ben').call('tokens', { params: { name: 'ben' } })).tokens[0]?.id ?? '';
    const { tokenInfo } = await team
      .as('ada')
      .call('createRunToken', { params: { name: 'ben' }, body: { label: 'x' } });
    const cookie = await logIn();
    await team.as('ada').call('revokeToken', { params: { name: 'ben', id: tokenInfo.id } });
    expect(await statusOf(cookie)).toBe(200);
    await team.as('ada').call('revokeToken', { params: { name: 'ben', id: primary } });
    expect(await statusOf(cookie)).toBe(401);
  });
});

it('a member’s session beyond the limit ends the one that was used longest ago', async () => {
  const first = await logIn();
  const second = await logIn();
  await statusOf(first);
  const rest = [];
  while (rest.length < limits.session.perMember - 1) rest.push(await logIn());
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401]);
  await team.restart();
  expect((await team.as('ben').call('sessions', { query: {} })).sessions).toHaveLength(
    limits.session.perMember,
  );
});
