import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TotpEnrollment } from '#protocol/member.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  cookieStream,
  logInWith,
  postJson,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const day = 86_400_000;
let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  // The broker's periodic work runs when a test lets time pass.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  team = await startTestBroker({ clock: () => now, onDisk: true });
});
afterEach(async () => {
  await team.stop();
  vi.useRealTimers();
});

async function logIn(member: string, secret?: string): Promise<string> {
  const bound = secret ?? (await bindAuthenticator(team, member));
  const reply = await logInWith(team, codeAt(bound, now), member);
  expect(reply.status).toBe(200);
  return cookieOf(reply);
}
const whoami = async (cookie: string) => {
  const reply = await withCookie(team, cookie, '/session');
  return { status: reply.status, body: (await reply.json()) as { expiresAt: number } };
};

describe('the session cookie', () => {
  it('is sent again with its full lifetime by every cookie-authenticated response: success, error, and stream', async () => {
    const cookie = await logIn('ben');
    const full = `${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800`;
    const both = [full, full.replace('svc_session', `svc_session_http_${new URL(team.url).port}`)];
    for (const [path, init, status] of [
      ['/roster', {}, 200],
      ['/history?limit=0', {}, 400],
      ['/members/cy', { method: 'DELETE' }, 403],
    ] as const) {
      const reply = await withCookie(team, cookie, path, init);
      expect(reply.status).toBe(status);
      expect(reply.headers.getSetCookie()).toEqual(both);
    }
    const stream = await cookieStream(team, cookie, 'ben');
    expect(stream.setCookie).toBe(both.join());
    stream.close();
  });

  it('lives 7 days from the last request, sliding', async () => {
    const cookie = await logIn('ben');
    for (let week = 0; week < 3; week++) {
      now += 7 * day - 1;
      expect(await whoami(cookie)).toMatchObject({ status: 200, body: { expiresAt: now + 7 * day } });
    }
    now += 7 * day;
    expect((await whoami(cookie)).status).toBe(401);
  });

  it('is refused if this broker did not create it, and beside an Authorization header, which decides alone', async () => {
    const cookie = await logIn('ben');
    expect((await whoami(`svc_session=${'A'.repeat(43)}`)).status).toBe(401);
    expect((await whoami('svc_session=x')).status).toBe(401);
    const both = await withCookie(team, cookie, '/session', { headers: { authorization: 'Bearer svc_x' } });
    expect(both.status).toBe(401);
  });

  it('works after a restart, with its sliding expiry at most a minute behind', async () => {
    const cookie = await logIn('ben');
    now += 3 * day;
    await whoami(cookie);
    const { body } = await whoami(cookie);
    await team.restart();
    now = body.expiresAt - 60_000 - 1;
    expect((await whoami(cookie)).status).toBe(200);
  });

  it('is gone after a restart if it expired in the meantime', async () => {
    const cookie = await logIn('ben');
    now += 7 * day;
    await team.restart();
    expect((await whoami(cookie)).status).toBe(401);
    now -= 7 * day;
    expect((await whoami(cookie)).status).toBe(401);
  });
});

describe('GET /session', () => {
  it('returns member, role, permissions, and expiresAt, which is null with a bearer token', async () => {
    const shape = { member: 'ben', role: { title: 'ben', description: '' }, permissions: [] };
    const cookie = await logIn('ben');
    expect((await whoami(cookie)).body).toEqual({ ...shape, expiresAt: now + 7 * day });
    expect(await team.as('ben').call('session', {})).toEqual({ ...shape, expiresAt: null });
  });
});

describe('POST /session/logout', () => {
  it('answers 204 and a cleared cookie, and the session is over, its streams within a second', async () => {
    const cookie = await logIn('ben');
    now += 30_000;
    const other = await logIn('cy');
    const [stream, others] = await Promise.all([
      cookieStream(team, cookie, 'ben'),
      cookieStream(team, other, 'cy'),
    ]);
    const bearers = await team.stream('ben');
    expect((await team.openStreams()).messages).toBe(3);
    const reply = await withCookie(team, cookie, '/session/logout', { method: 'POST' });
    expect((await team.openStreams()).messages).toBe(2);
    expect(reply.status).toBe(204);
    const own = `svc_session_http_${new URL(team.url).port}`;
    expect(reply.headers.getSetCookie()).toEqual(
      ['svc_session', own].map((name) => `${name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`),
    );
    await stream.ended;
    expect((await whoami(cookie)).status).toBe(401);
    expect((await whoami(other)).status).toBe(200);
    await team.restart();
    expect((await whoami(cookie)).status).toBe(401);
    expect((await whoami(other)).status).toBe(200);
    others.close();
    bearers.close();
  });

  it('keeps the token with a bearer and answers 204', async () => {
    const stream = await team.stream('ben');
    const reply = await team.fetch('ben', '/session/logout', { method: 'POST' });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('set-cookie')).toContain('Max-Age=0');
    await team.as('ada').call('push', { body: { to: 'ben', body: 'still here?' } });
    await stream.until((frames) => frames.some(({ event }) => event === 'message'));
  });
});

describe('a session that ends', () => {
  it('by expiry ends the streams it opened within one second', async () => {
    const cookie = await logIn('ben');
    const stream = await cookieStream(team, cookie, 'ben');
    const bearers = await team.stream('ben');
    now += 7 * day;
    vi.advanceTimersByTime(1000);
    await stream.ended;
    await team.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
    await bearers.until((frames) => frames.some(({ event }) => event === 'message'));
  });
});

describe('POST /members/:name/enroll-totp', () => {
  it('invalidates the enrolled authenticator and the sessions that it opened, except the caller’s own', async () => {
    const secret = await bindAuthenticator(team, 'ben');
    const lost = await logIn('ben', secret);
    now += 30_000;
    const kept = await logIn('ben', secret);
    const stream = await cookieStream(team, lost, 'ben');
    now += 30_000;
    const body = { presentCode: codeAt(secret, now) };
    const reply = await postJson(team, '/members/ben/enroll-totp', body, { cookie: kept });
    expect(reply.status).toBe(200);
    expect((await team.openStreams()).messages).toBe(0);
    const { totpSecret, totpUri } = (await reply.json()) as TotpEnrollment;
    expect(totpUri).toBe(`otpauth://totp/Test:ben?secret=${totpSecret}&issuer=Test`);
    await stream.ended;
    expect((await whoami(lost)).status).toBe(401);
    expect((await whoami(kept)).status).toBe(200);
    now += 30_000;
    expect((await logInWith(team, codeAt(secret, now), 'ben')).status).toBe(401);
    expect((await logInWith(team, codeAt(totpSecret, now), 'ben')).status).toBe(200);
  });

  it('answers 404 to a manager for an unknown member, and shows in totpEnrolled', async () => {
    const reply = await team.fetch('ada', '/members/nobody/enroll-totp', { method: 'POST' });
    expect(reply.status).toBe(404);
    await team.as('ada').call('enrollTotp', { params: { name: 'cy' } });
    expect((await team.as('cy').call('briefing', {})).totpEnrolled).toBe(true);
  });
});
