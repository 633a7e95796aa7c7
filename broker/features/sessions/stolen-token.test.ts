import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '#protocol/client.ts';
import type { TotpEnrollment } from '#protocol/member.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  logInWith,
  postJson,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const step = 30_000;
const params = { name: 'ben' };
let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  team = await startTestBroker({ clock: () => now, onDisk: true });
});
afterEach(() => team.stop());

const ben = () => team.as('ben');
const rotate = (by: string) => team.as(by).call('rotateToken', { params });
const logIn = (secret: string): Promise<Response> => {
  now += step;
  return logInWith(team, codeAt(secret, now), 'ben');
};
const whoami = async (cookie: string) => (await withCookie(team, cookie, '/session')).status;
const withSession = (cookie: string, path: string, body: unknown) => postJson(team, path, body, { cookie });
const kinds = async () =>
  (await team.as('ada').call('audit', { query: { limit: '3' } })).records.map(({ kind, subject }) => [
    kind,
    subject,
  ]);
const enrolled = async (reply: Response) => (await reply.json()) as TotpEnrollment;
async function linkSession(): Promise<string> {
  const { code } = await ben().call('createConsoleLink', {});
  return cookieOf(await postJson(team, '/session/link', { code }));
}

describe('a rotation', () => {
  it('unbinds the authenticator that a thief bound with the stolen token, and ends what it opened', async () => {
    const secret = await bindAuthenticator(team, 'ben');
    const cookie = cookieOf(await logIn(secret));
    expect(await whoami(cookie)).toBe(200);
    const rotated = await rotate('ada');
    expect(rotated.authenticatorUnbound).toBe(true);
    expect(await kinds()).toContainEqual(['totp_removed', 'ben']);
    for (let round = 0; round < 2; round++) {
      expect(await whoami(cookie)).toBe(401);
      expect((await logIn(secret)).status).toBe(401);
      await team.restart();
    }
  });

  it('unbinds one that a session of the stolen token bound, by a link or by an authenticator that it bound before', async () => {
    const linked = await linkSession();
    const first = await enrolled(await withSession(linked, '/members/ben/enroll-totp', {}));
    const cookie = cookieOf(await logIn(first.totpSecret));
    now += step;
    const presentCode = codeAt(first.totpSecret, now);
    await team.restart();
    const second = await enrolled(await withSession(cookie, '/members/ben/enroll-totp', { presentCode }));
    expect((await rotate('ada')).authenticatorUnbound).toBe(true);
    expect((await logIn(second.totpSecret)).status).toBe(401);
  });

  it('leaves an authenticator that somebody else bound, and says nothing about it', async () => {
    const { totpSecret } = await team.as('ada').call('enrollTotp', { params });
    expect(Object.keys(await rotate('ada')).sort()).toEqual(['token', 'tokenInfo']);
    expect((await logIn(totpSecret)).status).toBe(200);
  });

  it('leaves nothing of a thief who binds and logs in at the same time', async () => {
    const [, ...bound] = await Promise.all([
      rotate('ada'),
      ...Array.from({ length: 8 }, () => team.fetch('ben', '/members/ben/enroll-totp', { method: 'POST' })),
    ]);
    for (const reply of bound)
      if (reply.ok) expect((await logIn((await enrolled(reply)).totpSecret)).status).toBe(401);
    const { members } = await team.as('ada').call('members', {});
    expect(members.find(({ name }) => name === 'ben')?.totpEnrolled).toBe(false);
  });

  it('leaves no device that a thief approves, and no token that it makes or rotates, at the same time', async () => {
    const ada = team.as('ada');
    const params = { name: 'ada' };
    const waiting = await Promise.all(Array.from({ length: 8 }, () => ada.call('enroll', { body: {} })));
    const rotating = ada.call('rotateToken', { params });
    const attempts = Promise.allSettled(
      waiting.flatMap(({ userCode }) => [
        ada.call('approveEnrollment', { body: { mode: 'bind', userCode, memberName: 'ada' } }),
        ada.call('createRunToken', { params, body: { label: '' } }),
        ada.call('rotateToken', { params }),
      ]),
    );
    const { tokenInfo, token } = await rotating;
    await attempts;
    const own = createClient(({ url, ...init }) =>
      fetch(team.url + url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    );
    const { tokens } = await own.call('tokens', { params: { name: 'ada' } });
    expect(tokens.map(({ id }) => id)).toEqual([tokenInfo.id]);
  });
});

it('revoking one token unbinds the authenticator that it bound, and ends the sessions that descend from it, but no others', async () => {
  const { userCode, deviceCode } = await team.as('ada').call('enroll', { body: {} });
  const body = { mode: 'bind' as const, userCode, memberName: 'ben' };
  await team.as('ada').call('approveEnrollment', { body });
  const { token } = await team.as('ada').call('pollEnrollment', { body: { deviceCode } });
  const device = createClient(({ url, ...init }) =>
    fetch(team.url + url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  );
  const { code } = await device.call('createConsoleLink', {});
  const linked = cookieOf(await postJson(team, '/session/link', { code }));
  const { totpSecret } = await device.call('enrollTotp', { params });
  const opened = cookieOf(await logIn(totpSecret));
  const again = await linkSession();
  const tokens = (await team.as('ada').call('tokens', { params })).tokens;
  const { id } = tokens.find(({ origin }) => origin === 'enroll')!;
  await team.as('ada').call('revokeToken', { params: { name: 'ben', id } });
  expect([await whoami(linked), await whoami(opened), await whoami(again)]).toEqual([401, 401, 200]);
  expect((await logIn(totpSecret)).status).toBe(401);
});

describe('replacing one’s own authenticator', () => {
  const code = (secret: string) => codeAt(secret, now);

  it('needs a present code, which works once, also for a manager', async () => {
    for (const name of ['ben', 'ada']) {
      const former = await bindAuthenticator(team, name);
      const as = team.as(name);
      const { totpSecret } = await as.call('proposeTotp', { params: { name } });
      const confirmed = { totpSecret, code: code(totpSecret) };
      const replace = (body: object) => as.call('enrollTotp', { params: { name }, body });
      await expect(replace({})).rejects.toMatchObject({ reason: 'present_code_needed' });
      await expect(replace({ confirmed })).rejects.toMatchObject({ reason: 'present_code_needed' });
      await expect(replace({ confirmed, presentCode: code(totpSecret) })).rejects.toMatchObject({
        reason: 'present_code_wrong',
      });
      const presentCode = code(former);
      expect((await logInWith(team, presentCode, name)).status).toBe(200);
      await expect(replace({ confirmed, presentCode })).rejects.toMatchObject({
        reason: 'present_code_wrong',
      });
      now += step;
      expect(await replace({ presentCode: code(former) })).toMatchObject({ totpUri: expect.any(String) });
      expect((await logInWith(team, code(former), name)).status).toBe(401);
    }
  });

  it('is limited as a login is, and together with it', async () => {
    const secret = await bindAuthenticator(team, 'ada');
    const guess = (presentCode: string) =>
      team.as('ada').call('enrollTotp', { params: { name: 'ada' }, body: { presentCode } });
    const wrong = code(secret) === '000000' ? '000001' : '000000';
    for (let n = 0; n < 3; n++) await expect(guess(wrong)).rejects.toMatchObject({ status: 400 });
    for (let n = 0; n < 2; n++) {
      const headers = { authorization: `Bearer ${team.token('ada')}` };
      expect((await postJson(team, '/session/totp', { code: wrong, member: 'ada' }, headers)).status).toBe(
        401,
      );
    }
    await expect(guess(code(secret))).rejects.toMatchObject({ reason: 'too_many_wrong_codes' });
  });

  it('needs none of a manager who does it for somebody else', async () => {
    await bindAuthenticator(team, 'ben');
    expect(await team.as('ada').call('enrollTotp', { params })).toMatchObject({
      totpSecret: expect.any(String),
    });
  });
});
