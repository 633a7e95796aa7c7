import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindAuthenticator, codeAt, logInWith, wrongCode } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const step = 30_000;
let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  team = await startTestBroker({ clock: () => now, onDisk: true });
});
afterEach(() => team.stop());

const statusOf = async (secret: string): Promise<number> => {
  now += step;
  return (await logInWith(team, codeAt(secret, now), 'ben')).status;
};

describe('an authenticator that is confirmed', () => {
  const params = { name: 'ben' };

  it('leaves the previous one as it is until the code is right, and then replaces it', async () => {
    const former = await bindAuthenticator(team, 'ben');
    const { totpSecret, totpUri } = await team.as('ben').call('proposeTotp', { params });
    expect(totpUri).toContain(`secret=${totpSecret}`);
    now += step;
    const presentCode = codeAt(former, now);
    const confirm = (code: string) =>
      team.as('ben').call('enrollTotp', { params, body: { confirmed: { totpSecret, code }, presentCode } });
    await expect(confirm(wrongCode([totpSecret], now))).rejects.toMatchObject({
      code: 'bad_request',
      reason: 'authenticator_code_wrong',
    });
    // The code of the previous one was not used up.
    const code = codeAt(totpSecret, now);
    expect(await confirm(code)).toMatchObject({ totpSecret });
    expect((await logInWith(team, code, 'ben')).status).toBe(401);
    expect(await statusOf(former)).toBe(401);
    expect(await statusOf(totpSecret)).toBe(200);
  });

  it('is proposed only to the member and to managers, and not for an unknown member', async () => {
    await expect(team.as('cy').call('proposeTotp', { params })).rejects.toMatchObject({ code: 'forbidden' });
    const unknown = { params: { name: 'nobody' } };
    await expect(team.as('ada').call('proposeTotp', unknown)).rejects.toMatchObject({ code: 'not_found' });
  });
});
