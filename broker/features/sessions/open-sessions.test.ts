/** The open sessions of the team, beside its tokens (specification/authentication.md#devices). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker();
  for (const member of ['ada', 'ben'])
    for (const later of [0, 30_000]) {
      const secret = later === 0 ? await secretOf(member) : (secrets.get(member) ?? '');
      const body = JSON.stringify({ code: codeAt(secret, Date.now() + later), member });
      const headers = { 'content-type': 'application/json', 'user-agent': 'a script' };
      const reply = await fetch(`${team.url}/session/totp`, { method: 'POST', headers, body });
      expect(reply.status).toBe(200);
    }
});
afterAll(() => team?.stop());

const secrets = new Map<string, string>();
async function secretOf(name: string): Promise<string> {
  const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name } });
  secrets.set(name, totpSecret);
  return totpSecret;
}
const open = async (name: string, query: Record<string, string> = {}) =>
  (await team.as(name).call('openSessions', { query })).sessions;

describe('GET /devices/sessions', () => {
  it('has every session for a manager, and for others only their own, without secrets', async () => {
    const all = await open('ada');
    expect(all.map(({ memberName }) => memberName).sort()).toEqual(['ada', 'ada', 'ben', 'ben']);
    expect((await open('ben')).map(({ memberName }) => memberName)).toEqual(['ben', 'ben']);
    expect(await open('cy')).toEqual([]);
    expect(all[0]).toMatchObject({ address: '127.0.0.1', current: false, bound: false });
    expect(JSON.stringify(all)).not.toMatch(/hash|cookie|sha256/i);
  });

  it('is answered in pages', async () => {
    const ids = (await open('ada')).map(({ id }) => id);
    expect((await open('ada', { limit: '3' })).map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect((await open('ada', { after: ids[2] ?? '' })).map(({ id }) => id)).toEqual(ids.slice(3));
  });
});
