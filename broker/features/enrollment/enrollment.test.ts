/** The requests of a device that enrolls: it asks for codes, and polls for its token. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DeviceAuthorization, DeviceToken } from '#protocol/enrollment.ts';
import { rawRequest } from '../../testing/raw-request.ts';
import type { TestBroker } from '../../testing/test-broker.ts';
import { bind, setUpEnrollmentTeam } from './testing/enrollment-team.ts';

let now = Date.UTC(2026, 5, 1, 12);
let team: TestBroker;
const { startOwn, post, enroll, poll, pollsAs, manager, rosterAs, rows } = setUpEnrollmentTeam(
  () => now,
  (current) => {
    team = current;
  },
);
// In this time, every waiting request expires and every limit ends, so that a test finds none of another one.
beforeEach(() => {
  now += 2 * 3_600_000;
});

describe('POST /enroll', () => {
  it('answers with codes, absolute addresses of the requested host, and the times of RFC 8628', async () => {
    const device = await enroll('laptop');
    expect(device).toEqual({
      deviceCode: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verificationUri: `${team.url}/enroll`,
      verificationUriComplete: `${team.url}/enroll?code=${device.userCode}`,
      expiresIn: 600,
      interval: 5,
    });
  });

  it('stores only the hash of the device code, and logs neither code', async () => {
    const { deviceCode, userCode } = await enroll();
    await manager().call('approveEnrollment', bind(userCode));
    const { token } = (await poll(deviceCode)).body as unknown as DeviceToken;
    const stored = await Promise.all(
      ['main.db', 'main.db-wal'].map((name) => readFile(join(team.folder, name), 'latin1')),
    );
    for (const secret of [deviceCode, token]) {
      expect(stored.join()).not.toContain(secret);
      expect(team.logged()).not.toContain(secret);
    }
    expect(team.logged()).not.toContain(userCode);
  });

  it('accepts 10 requests per address and hour, malformed ones included; then 429 with a Retry-After that holds', async () => {
    await startOwn();
    const bad = [
      () => post('/enroll', '{'),
      () => post('/enroll', { labelHint: 7 }),
      () => team.fetch(null, '/enroll', { method: 'POST', body: 'x' }),
      () => post('/enroll', 'x'.repeat(5000)),
    ];
    expect(await Promise.all(bad.map(async (send) => (await send()).status))).toEqual([400, 400, 415, 413]);
    for (let i = 0; i < 6; i++) await enroll();
    now += 600_500;
    const refused = await post('/enroll', {});
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBe(3000);
    now += retryAfter * 1000 - 1000;
    expect((await post('/enroll', {})).status).toBe(429);
    now += 1000;
    await enroll();
  });

  it('does not use up that limit when a device polls', async () => {
    const { deviceCode } = await enroll();
    for (let i = 0; i < 20; i++) await poll(deviceCode);
    await enroll();
  });

  it('uses the socket’s address as the source: forwarding headers do not change it', async () => {
    await startOwn();
    for (let i = 0; i < 10; i++) await post('/enroll', {}, null, { 'x-forwarded-for': `9.9.9.${i}` });
    expect((await post('/enroll', {}, null, { 'x-forwarded-for': '8.8.8.8' })).status).toBe(429);
    const { enrollments } = await manager().call('pendingEnrollments', {});
    expect(new Set(enrollments.map(({ sourceIp }) => sourceIp))).toEqual(new Set(['127.0.0.1']));
  });

  it('respects forwarding headers if the configuration names the proxy', async () => {
    await startOwn({ config: { listen: { trustedProxies: ['127.0.0.1'] } } });
    for (let i = 0; i < 12; i++) {
      const headers = { 'x-forwarded-for': `6.6.6.6, 9.9.9.${i}`, 'x-forwarded-proto': 'https' };
      const reply = await post('/enroll', {}, null, headers);
      expect(((await reply.json()) as DeviceAuthorization).verificationUri).toMatch(/^https:/);
    }
    const { enrollments } = await manager().call('pendingEnrollments', {});
    expect(enrollments.map(({ sourceIp }) => sourceIp).sort()).toEqual(
      Array.from({ length: 12 }, (_, i) => `9.9.9.${i}`).sort(),
    );
  });

  it('lets at most 900 devices of strangers wait; above that, 429 until the oldest request expires', async () => {
    await startOwn({ config: { listen: { trustedProxies: ['127.0.0.1'] } } });
    const from = (i: number) => post('/enroll', {}, null, { 'x-forwarded-for': `9.9.${i >> 8}.${i & 255}` });
    for (let i = 0; i < 900; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => from(i + j)));
    now += 300_000;
    const refused = await from(900);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '300']);
    now += 300_000;
    expect((await from(901)).status).toBe(200);
  });

  it('keeps places for the own network, and the last ones for its own machine', async () => {
    await startOwn({ config: { listen: { trustedProxies: ['127.0.0.1'] } } });
    const from = async (ip: string) => (await post('/enroll', {}, null, { 'x-forwarded-for': ip })).status;
    for (let i = 0; i < 900; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => from(`9.9.${(i + j) >> 8}.${(i + j) & 255}`)));
    expect(await from('9.10.0.1')).toBe(429);
    for (let i = 0; i < 80; i++) expect(await from(`192.168.7.${i}`)).toBe(200);
    expect(await from('192.168.8.1')).toBe(429);
    expect(await from('fd00::1')).toBe(429);
    for (let i = 1; i <= 20; i++) expect(await from(`127.0.0.${i + 1}`)).toBe(200);
    expect(await from('127.0.1.1')).toBe(429);
  });

  it('refuses bodies over 4 KiB, and keeps at most 512 characters of the user agent', async () => {
    expect((await post('/enroll', { labelHint: 'x', pad: 'x'.repeat(4096) })).status).toBe(413);
    await post('/enroll', {}, null, { 'user-agent': 'a'.repeat(600) });
    const { enrollments } = await manager().call('pendingEnrollments', {});
    expect(enrollments).toEqual([expect.objectContaining({ userAgent: 'a'.repeat(512), labelHint: null })]);
  });
});

describe('POST /enroll/poll', () => {
  it('answers authorization_pending, slow_down with 5 s more for good, and never slow_down first', async () => {
    const { deviceCode } = await enroll();
    await pollsAs(deviceCode, 'authorization_pending');
    await pollsAs(deviceCode, 'slow_down');
    now += 9_999;
    await pollsAs(deviceCode, 'slow_down');
    now += 15_000;
    await pollsAs(deviceCode, 'authorization_pending');
    now += 14_999;
    await pollsAs(deviceCode, 'slow_down');
  });

  it('answers expired_token for unknown, used, and expired codes', async () => {
    await pollsAs('x'.repeat(43), 'expired_token');
    const [used, late] = [await enroll(), await enroll()];
    await manager().call('approveEnrollment', bind(used.userCode));
    expect((await poll(used.deviceCode)).status).toBe(200);
    await pollsAs(used.deviceCode, 'expired_token');
    now += 600_000;
    await pollsAs(late.deviceCode, 'expired_token');
  });

  it('delivers the token once, however many polls arrive at once', async () => {
    const { deviceCode, userCode } = await enroll();
    const approved = await manager().call('approveEnrollment', bind(userCode, 'dan'));
    const polls = await Promise.all(Array.from({ length: 20 }, () => poll(deviceCode)));
    const given = polls.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    expect(given[0]?.body).toEqual({
      token: expect.stringMatching(/^svc_/),
      tokenId: approved.tokenInfo.id,
      member: { name: 'dan', role: { title: 'dan', description: '' }, permissions: [] },
    });
    expect(polls.filter(({ body }) => body.error === 'expired_token')).toHaveLength(19);
    expect((await rosterAs(String(given[0]?.body.token))).status).toBe(200);
    expect(rows(`SELECT sealed_token FROM enrollment WHERE user_code = '${userCode}'`)).toEqual([
      { sealed_token: null },
    ]);
  });

  it('answers access_denied to a rejected device, with the reason as errorDescription', async () => {
    const [first, second] = [await enroll(), await enroll()];
    await manager().call('rejectEnrollment', { body: { userCode: first.userCode, reason: 'who are you?' } });
    await manager().call('rejectEnrollment', { body: { userCode: second.userCode } });
    expect((await poll(first.deviceCode)).body).toMatchObject({
      error: 'access_denied',
      errorDescription: 'who are you?',
    });
    expect((await poll(second.deviceCode)).body).toMatchObject({
      error: 'access_denied',
      errorDescription: null,
    });
  });

  it('does not deliver a token that was revoked before it was fetched', async () => {
    const { deviceCode, userCode } = await enroll();
    const { tokenInfo } = await manager().call('approveEnrollment', bind(userCode, 'eli'));
    await manager().call('revokeToken', { params: { name: 'eli', id: tokenInfo.id } });
    await pollsAs(deviceCode, 'expired_token');
  });

  it('deletes the token and its sealed plaintext at expiry if the device never polled', async () => {
    const { deviceCode, userCode } = await enroll();
    await manager().call('approveEnrollment', bind(userCode, 'fay'));
    const count = async () => (await manager().call('tokens', { params: { name: 'fay' } })).tokens.length;
    expect(await count()).toBe(2);
    now += 600_000;
    await manager().call('enrollmentHistory', {});
    expect(await count()).toBe(1);
    expect(rows(`SELECT sealed_token FROM enrollment WHERE user_code = '${userCode}'`)).toEqual([
      { sealed_token: null },
    ]);
    expect(rows(`SELECT id FROM token WHERE origin = 'enroll' AND member = 'fay'`)).toEqual([]);
    await pollsAs(deviceCode, 'expired_token');
  });

  it('answers a clear expired_token if the key was lost between approval and poll, and ends the token', async () => {
    await startOwn();
    const { deviceCode, userCode } = await enroll();
    await manager().call('approveEnrollment', bind(userCode));
    await team.broker.close();
    await writeFile(`${team.configPath}.kek`, `${Buffer.alloc(32, 7).toString('base64')}\n`);
    await team.restart();
    await pollsAs(deviceCode, 'expired_token');
    expect((await manager().call('tokens', { params: { name: 'ben' } })).tokens).toHaveLength(1);
  });

  it('works across a restart between approval and poll', async () => {
    await startOwn();
    const { deviceCode, userCode } = await enroll();
    await manager().call('approveEnrollment', bind(userCode));
    await team.restart();
    const { token } = (await poll(deviceCode)).body as unknown as DeviceToken;
    expect((await rosterAs(token)).status).toBe(200);
  });
});

describe('hostile requests', () => {
  it('counts a request whose body never ends, and lets it delay nothing', async () => {
    await startOwn();
    const request = `POST /enroll HTTP/1.1\r\nhost: ${new URL(team.url).host}\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{`;
    const text = await rawRequest(team.url, request, (received) => received.includes('\r\n\r\n'));
    expect(text).toContain('413');
    for (let i = 0; i < 9; i++) await enroll();
    expect((await post('/enroll', {})).status).toBe(429);
  });
});
