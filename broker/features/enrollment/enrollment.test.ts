import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DeviceAuthorization, DeviceToken } from '#protocol/enrollment.ts';
import { rawRequest } from '../../testing/raw-request.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../testing/test-broker.ts';

let now = Date.UTC(2026, 5, 1, 12);
let team: TestBroker;
beforeAll(async () => {
  const others = Object.fromEntries(['dan', 'eli', 'fay'].map((name) => [name, []]));
  team = await startTestBroker({
    onDisk: true,
    clock: () => now,
    members: { ada: ['admin'], ben: [], ...others },
  });
});
afterAll(() => team.stop());
// In this time, every waiting request expires and every limit ends, so that a test finds none of another one.
beforeEach(() => {
  now += 2 * 3_600_000;
});

/** Starts a broker for this test alone, which the functions below use until the test ends. */
async function startOwn(options: TestBrokerOptions = { onDisk: true }): Promise<void> {
  const shared = team;
  const own = await startTestBroker({ clock: () => now, ...options });
  team = own;
  onTestFinished(() => {
    team = shared;
    return own.stop();
  });
}

const post = (path: string, body: unknown, name: string | null = null, headers = {}) =>
  team.fetch(name, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const enroll = async (labelHint?: string): Promise<DeviceAuthorization> => {
  const reply = await post('/enroll', { labelHint });
  expect(reply.status).toBe(200);
  return (await reply.json()) as DeviceAuthorization;
};
const poll = async (deviceCode: string) => {
  const reply = await post('/enroll/poll', { deviceCode });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
};
const pollsAs = (deviceCode: string, error: string) =>
  expect(poll(deviceCode)).resolves.toMatchObject({ status: 400, body: { error } });
const manager = () => team.as('ada');
const bind = (userCode: string, memberName = 'ben') => ({
  body: { mode: 'bind' as const, userCode, memberName },
});
const create = (userCode: string, memberName: string) => ({
  body: {
    mode: 'create' as const,
    userCode,
    memberName,
    role: { title: 'Agent', description: '' },
    permissions: ['operator'],
  },
});
const rosterAs = (token: string) =>
  fetch(`${team.url}/roster`, { headers: { authorization: `Bearer ${token}` } });
const rows = (sql: string) => storeRows(join(team.folder, 'main.db'), sql);

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

describe('GET /enroll/pending', () => {
  it('lists waiting devices, oldest first, without any secret that polls', async () => {
    const start = now;
    const codes: string[] = [];
    for (const hint of ['one', 'two', 'three']) {
      codes.push((await enroll(hint)).userCode);
      now += 1000;
    }
    const { enrollments } = await manager().call('pendingEnrollments', {});
    expect(enrollments.map(({ userCode }) => userCode)).toEqual(codes);
    expect(enrollments[0]).toEqual({
      userCode: codes[0],
      labelHint: 'one',
      sourceIp: '127.0.0.1',
      userAgent: expect.any(String),
      createdAt: start,
      expiresAt: start + 600_000,
    });
    now = start + 600_000;
    expect((await manager().call('pendingEnrollments', {})).enrollments).toHaveLength(2);
  });
});

describe('POST /enroll/approve', () => {
  it('reads the code without regard to case, spaces, or hyphens; the label falls back to labelHint', async () => {
    const { userCode } = await enroll('ben’s phone');
    const typed = ` ${userCode.toLowerCase().replace('-', ' ')} `;
    const { member, tokenInfo } = await manager().call('approveEnrollment', bind(typed));
    expect(member.name).toBe('ben');
    expect(tokenInfo).toEqual({
      id: expect.any(String),
      memberName: 'ben',
      label: 'ben’s phone',
      origin: 'enroll',
      createdAt: now,
      createdBy: 'ada',
      lastUsedAt: null,
      expiresAt: null,
    });
  });

  it('carries no plaintext token', async () => {
    const { userCode } = await enroll();
    const reply = await post('/enroll/approve', bind(userCode).body, 'ada');
    expect(await reply.text()).not.toContain('svc_');
  });

  it('answers 404 to an unknown code, 410 to an expired one, 409 to a decided one, and 404 to an unknown member', async () => {
    await expect(manager().call('approveEnrollment', bind('BCDF-GHJK'))).rejects.toMatchObject({
      status: 404,
    });
    const [one, two, three] = [await enroll(), await enroll(), await enroll()];
    const approve = (userCode: string, name?: string) =>
      manager().call('approveEnrollment', bind(userCode, name));
    await expect(approve(one.userCode, 'nobody')).rejects.toMatchObject({ status: 404 });
    await approve(one.userCode);
    await expect(approve(one.userCode)).rejects.toMatchObject({ status: 409 });
    await manager().call('rejectEnrollment', { body: { userCode: two.userCode } });
    await expect(approve(two.userCode)).rejects.toMatchObject({ status: 409 });
    const reject = (userCode: string) => manager().call('rejectEnrollment', { body: { userCode } });
    await expect(reject(one.userCode)).rejects.toMatchObject({ status: 409 });
    now += 600_000;
    await expect(approve(three.userCode)).rejects.toMatchObject({ status: 410 });
    await expect(reject(three.userCode)).rejects.toMatchObject({ status: 410 });
    await expect(reject('BCDF-GHJK')).rejects.toMatchObject({ status: 404 });
  });

  it('accepts one of two approvals at once', async () => {
    const { userCode, deviceCode } = await enroll();
    const both = await Promise.allSettled([
      manager().call('approveEnrollment', bind(userCode, 'ben')),
      manager().call('approveEnrollment', create(userCode, 'eve')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await poll(deviceCode)).status).toBe(200);
  });

  it('creates a member for the device', async () => {
    await startOwn();
    const { deviceCode, userCode } = await enroll('box');
    const { member } = await manager().call('approveEnrollment', create(userCode, 'eve'));
    expect(member).toEqual({
      name: 'eve',
      role: { title: 'Agent', description: '' },
      permissions: ['objectives.create', 'objectives.cancel', 'objectives.reassign', 'objectives.watch'],
    });
    const { token } = (await poll(deviceCode)).body as unknown as DeviceToken;
    expect((await rosterAs(token)).status).toBe(200);
    await team.restart();
    expect((await rosterAs(token)).status).toBe(200);
  });

  it.each([
    ['a taken name', 'ben', 409, 'ivy'],
    ['a taken name in other letters', 'Ben', 409, 'jon'],
    ['a reserved name', 'system', 400, 'kim'],
  ])('%s changes nothing: the device can still be approved', async (_, name, status, free) => {
    // In the shared team, tokens of earlier tests that no device fetched expire at any time.
    await startOwn();
    const tokens = () => rows(`SELECT id FROM token WHERE origin = 'enroll'`);
    const { deviceCode, userCode } = await enroll();
    await expect(manager().call('approveEnrollment', create(userCode, name))).rejects.toMatchObject({
      status,
    });
    await pollsAs(deviceCode, 'authorization_pending');
    expect(tokens()).toEqual([]);
    await manager().call('approveEnrollment', create(userCode, free));
    expect((await poll(deviceCode)).status).toBe(200);
  });

  it('answers 409 to a retired name and 400 to an unknown permission, and changes nothing', async () => {
    await startOwn();
    await manager().call('deleteMember', { params: { name: 'cy' } });
    const { deviceCode, userCode } = await enroll();
    await expect(manager().call('approveEnrollment', create(userCode, 'cy'))).rejects.toMatchObject({
      status: 409,
    });
    const odd = create(userCode, 'eve');
    odd.body.permissions = ['nonsense'];
    await expect(manager().call('approveEnrollment', odd)).rejects.toMatchObject({ status: 400 });
    await pollsAs(deviceCode, 'authorization_pending');
    expect((await manager().call('roster', {})).teammates.map(({ name }) => name)).toEqual(['ada', 'ben']);
  });

  it('leaves no token behind if the member cannot be written', async () => {
    await startOwn();
    const { deviceCode, userCode } = await enroll();
    await writeFile(team.configPath, `${await readFile(team.configPath, 'utf8')} `);
    await expect(manager().call('approveEnrollment', create(userCode, 'eve'))).rejects.toMatchObject({
      status: 503,
    });
    expect(rows(`SELECT id FROM token WHERE origin = 'enroll'`)).toEqual([]);
    await pollsAs(deviceCode, 'authorization_pending');
  });
});

describe('an approval that the end of the process interrupted', () => {
  /** The state between the two writes: the store knows of the approval, and the configuration possibly. */
  async function cutOff(isMemberWritten: boolean): Promise<DeviceAuthorization> {
    await startOwn();
    const device = await enroll();
    await manager().call('approveEnrollment', create(device.userCode, 'eve'));
    await team.broker.close();
    changeStore(
      join(team.folder, 'main.db'),
      `UPDATE enrollment SET status = 'approving', decided_at = NULL`,
    );
    if (!isMemberWritten) {
      const config = JSON.parse(await readFile(team.configPath, 'utf8'));
      config.store.members = config.store.members.filter(({ name }: { name: string }) => name !== 'eve');
      await writeFile(team.configPath, JSON.stringify(config));
    }
    await team.restart();
    return device;
  }
  const names = async () => (await manager().call('roster', {})).teammates.map(({ name }) => name);

  it('is completed at start if the member was written', async () => {
    const { deviceCode } = await cutOff(true);
    expect(await names()).toContain('eve');
    const { token } = (await poll(deviceCode)).body as unknown as DeviceToken;
    expect((await rosterAs(token)).status).toBe(200);
    expect((await manager().call('enrollmentHistory', {})).enrollments).toEqual([
      expect.objectContaining({ outcome: 'approved', memberName: 'eve', decidedBy: 'ada' }),
    ]);
  });

  it('is undone at start if the member was not written: no member, no token, and the device waits again', async () => {
    const { deviceCode, userCode } = await cutOff(false);
    expect(await names()).not.toContain('eve');
    expect(rows(`SELECT id FROM token WHERE member = 'eve'`)).toEqual([]);
    await pollsAs(deviceCode, 'authorization_pending');
    expect((await manager().call('pendingEnrollments', {})).enrollments).toHaveLength(1);
    await manager().call('approveEnrollment', create(userCode, 'eve'));
    expect((await poll(deviceCode)).status).toBe(200);
  });
});

describe('GET /enroll/history', () => {
  it('lists decided and expired requests of the last 30 days, newest first', async () => {
    await startOwn();
    const start = now;
    const [approved, rejected, expired] = [await enroll('a'), await enroll('b'), await enroll('c')];
    now += 1000;
    await manager().call('approveEnrollment', bind(approved.userCode));
    now += 1000;
    await manager().call('rejectEnrollment', { body: { userCode: rejected.userCode, reason: 'no' } });
    now = start + 700_000;
    const { enrollments } = await manager().call('enrollmentHistory', {});
    expect(enrollments.map(({ userCode, outcome }) => [userCode, outcome])).toEqual([
      [expired.userCode, 'expired'],
      [rejected.userCode, 'rejected'],
      [approved.userCode, 'approved'],
    ]);
    expect(enrollments[1]).toMatchObject({
      decidedBy: 'ada',
      decidedAt: start + 2000,
      reason: 'no',
      memberName: null,
    });
    expect(enrollments[2]).toMatchObject({ decidedBy: 'ada', memberName: 'ben', labelHint: 'a' });
    now = start + 1000 + 30 * 86_400_000;
    expect((await manager().call('enrollmentHistory', {})).enrollments).toHaveLength(3);
    now += 1;
    expect((await manager().call('enrollmentHistory', {})).enrollments).toHaveLength(2);
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
