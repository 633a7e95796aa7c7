import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

const name = 'team.example.com';
/** The headers of a proxy for a request of `https://team.example.com:8443`. */
const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': `${name}:8443` };

async function setCookies(team: TestBroker, headers: Record<string, string>): Promise<string[]> {
  // A manager replaces the one of the request before.
  const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name: 'ben' } });
  const reply = await team.fetch(null, '/session/totp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code: codeAt(totpSecret, Date.now()), member: 'ben' }),
  });
  expect(reply.status).toBe(200);
  return reply.headers.getSetCookie();
}

async function statusOf(team: TestBroker, headers: Record<string, string>): Promise<unknown> {
  const reply = await team.fetch('ada', '/roster', { headers });
  return reply.ok ? 200 : ((await reply.json()) as { reason: string }).reason;
}

describe('from a trusted proxy', () => {
  let team: TestBroker;
  beforeAll(async () => {
    team = await startTestBroker({ config: { listen: { hosts: [name], trustedProxies: ['127.0.0.1'] } } });
  });
  afterAll(() => team.stop());

  it.each([
    [{ ...forwarded, origin: `https://${name}:8443` }, 200],
    [{ ...forwarded, origin: `https://${name}` }, 'foreign_origin'],
    [{ ...forwarded, origin: `http://${name}:8443` }, 'foreign_origin'],
    [{ ...forwarded, 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' }, 'unknown_host'],
    [{ ...forwarded, 'x-forwarded-proto': 'gopher', origin: `https://${name}:8443` }, 'foreign_origin'],
    // The last entry is the proxy's own; the client may have sent the others.
    [{ ...forwarded, 'x-forwarded-host': `evil.example, ${name}`, origin: `https://${name}` }, 200],
  ])('%j is answered %s', async (headers, expected) => {
    expect(await statusOf(team, headers)).toBe(expected);
  });

  it('a login over HTTPS gets cookies that only HTTPS carries, and one over HTTP does not', async () => {
    const secure = await setCookies(team, forwarded);
    expect(secure.length).toBeGreaterThan(0);
    for (const cookie of secure) expect(cookie).toContain('; Secure');
    for (const cookie of await setCookies(team, {})) expect(cookie).not.toContain('; Secure');
  });

  it('a device is sent to the address that the proxy names', async () => {
    const reply = await team.fetch(null, '/enroll', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...forwarded },
      body: '{}',
    });
    expect(await reply.json()).toMatchObject({ verificationUri: `https://${name}:8443/enroll` });
  });
});

it('the forwarding headers of anybody else count for nothing', async () => {
  const team = await startTestBroker({ config: { listen: { hosts: [name] } } });
  try {
    expect(await statusOf(team, { ...forwarded, origin: `https://${name}:8443` })).toBe('foreign_origin');
    for (const cookie of await setCookies(team, forwarded)) expect(cookie).not.toContain('; Secure');
  } finally {
    await team.stop();
  }
});
