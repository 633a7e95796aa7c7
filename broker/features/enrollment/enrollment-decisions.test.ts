/** The decisions on devices that enroll: the lists of waiting and decided requests, and the approval. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DeviceAuthorization, DeviceToken } from '#protocol/enrollment.ts';
import { changeStore } from '../../testing/store-rows.ts';
import type { TestBroker } from '../../testing/test-broker.ts';
import { bind, create, setUpEnrollmentTeam } from './testing/enrollment-team.ts';

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
