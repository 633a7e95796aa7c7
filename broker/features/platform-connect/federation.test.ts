/** The JWTs of a platform: the claims that a JWT must have, its signature, and the requests that it allows. The keys are in federation-keys.test.ts. */
import { createHmac } from 'node:crypto';
import { type CryptoKey, exportSPKI } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mintVapidKeys } from '../../security/vapid.ts';
import type { TestBroker, TestBrokerOptions } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';
import { endFederation, type Federation, federate } from './testing/federation.ts';
import type { Platform } from './testing/platform.ts';

const start = Date.UTC(2026, 5, 1, 12);
let now = start;

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const;
const otherAlgorithms = ['PS256', 'ES384'] as const;
/** Of the tests that change neither the clock, the keys, nor the members. Each algorithm names a key. */
let shared: Federation;
const publicKeyByAlgorithm = new Map<string, CryptoKey>();
/** Of the present test. */
let platform: Platform;
let team: TestBroker;
beforeAll(async () => {
  shared = await federate(() => start);
  for (const algorithm of [...algorithms, ...otherAlgorithms])
    publicKeyByAlgorithm.set(algorithm, await shared.platform.addKey(algorithm, algorithm));
});
afterAll(() => endFederation(shared));
beforeEach(() => {
  now = start;
  ({ platform, team } = shared);
});

/** Gives the present test a platform and a broker of its own, whose clock shows `now`. */
async function startOwn(options?: (platform: Platform) => TestBrokerOptions): Promise<void> {
  const own = await federate(() => now, options);
  onTestFinished(() => endFederation(own));
  ({ platform, team } = own);
}

const get = (token: string, path = '/session') =>
  fetch(team.url + path, { headers: { authorization: `Bearer ${token}` } });
const status = async (token: string, path?: string) => (await get(token, path)).status;
const seconds = (at: number) => Math.floor(at / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a JWT of the configured platform', () => {
  it.each(algorithms)('signed with %s authenticates the member that it names', async (algorithm) => {
    const token = await platform.sign(algorithm);
    const reply = await get(token);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ member: 'ben', expiresAt: start + 300_000 });
  });

  it('that is malformed is 401 however often it comes, and does not fill the log', async () => {
    await startOwn();
    for (let n = 0; n < 30; n++) expect(await status(`not.a${n}.token`)).toBe(401);
    const warnings = team.logged().match(/a JWT could not be checked/g) ?? [];
    expect(warnings).toHaveLength(10);
  });

  it('must name a member in the claim `member`, or else `sub`', async () => {
    const member = async (claims: Record<string, unknown>) => {
      const reply = await get(await platform.sign('k1', claims));
      return reply.status === 200 ? ((await reply.json()) as { member: string }).member : reply.status;
    };
    expect(await member({ sub: 'ben' })).toBe('ben');
    expect(await member({ sub: 'somebody', member: 'cy' })).toBe('cy');
    expect(await member({ sub: 'nobody' })).toBe(401);
    expect(await member({ sub: 'ben', member: 'nobody' })).toBe(401);
    expect(await member({ sub: 'Ben' })).toBe(401);
    expect(await member({ sub: 'ben', member: 7 })).toBe(401);
    expect(await member({ sub: undefined })).toBe(401);
  });

  it.each<[string, () => object]>([
    ['another issuer', () => ({ iss: `${platform.issuer}/` })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'team:other' })],
    ['no audience', () => ({ aud: undefined })],
    ['an audience besides ours', () => ({ aud: [platform.audience, 'another'] })],
    ['no exp', () => ({ exp: undefined })],
    ['an exp beyond all dates', () => ({ exp: 1e300 })],
    ['an exp that is no number', () => ({ exp: 'tomorrow' })],
    ['an exp more than 60 s ago', () => ({ exp: seconds(start) - 61 })],
    ['an nbf more than 60 s ahead', () => ({ nbf: seconds(start) + 61 })],
  ])('with %s is 401', async (_, claims) => {
    const reply = await get(await platform.sign('k1', claims() as never));
    expect(reply.status).toBe(401);
    expect(await reply.json()).toEqual({
      error: 'unauthenticated',
      reason: 'unauthenticated',
      message: expect.any(String),
    });
  });

  it.each(otherAlgorithms)(
    'correctly signed with %s, which is none of the three algorithms, is 401',
    async (algorithm) => {
      expect(await status(await platform.sign(algorithm))).toBe(401);
    },
  );

  it('is accepted within 60 s of clock tolerance', async () => {
    expect(await status(await platform.sign('k1', { exp: seconds(start) - 59 }))).toBe(200);
    expect(await status(await platform.sign('k1', { nbf: seconds(start) + 59 }))).toBe(200);
  });

  it('without a signature, or signed with what is not a public key, is 401', async () => {
    const token = await platform.sign('RS256');
    const [head = '', claims = '', signature = ''] = token.split('.');
    expect(await status(token)).toBe(200);
    const pem = await exportSPKI(publicKeyByAlgorithm.get('RS256')!);
    const hmac = `${encode({ alg: 'HS256', kid: 'RS256' })}.${claims}`;
    const confused = createHmac('sha256', pem).update(hmac).digest('base64url');
    for (const forged of [
      `${encode({ alg: 'none' })}.${claims}.`,
      `${encode({ alg: 'none' })}.${claims}.x`,
      `${encode({ alg: 'None', kid: 'RS256' })}.${claims}.${signature}`,
      `${hmac}.${confused}`,
      `${head}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -8)}AAAAAAAA`,
      `${head}.${encode({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'ada' })}.${signature}`,
      `${encode({ alg: 'ES256', kid: 'RS256' })}.${claims}.${signature}`,
      'a.b.c',
      '..',
      `${head}.${head}.${head}`,
      'svc_a.svc_b.svc_c',
    ])
      expect(await status(forged), forged.slice(0, 40)).toBe(401);
  });

  it('is neither a bearer token for bearer-only routes nor a session: 403', async () => {
    const token = await platform.sign('k1', { sub: 'ada' });
    const post = (path: string, body: object) =>
      fetch(team.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('/presence/busy', { busy: true })).status).toBe(403);
    const bind = { pairingCode: 'x'.repeat(22), platformUrl: platform.url };
    expect((await post('/platform-connect/bind', bind)).status).toBe(403);
  });

  it('opens a stream that ends at its exp, and when the member is removed', async () => {
    await startOwn();
    const open = async (claims: Record<string, unknown>) => {
      const token = await platform.sign('k1', claims);
      return openTestStream(
        `${team.url}/subscribe?name=${'member' in claims ? claims.member : 'ben'}`,
        token,
      );
    };
    const short = await open({ exp: seconds(start) + 10, member: 'ben' });
    const long = await open({ exp: seconds(start) + 100, member: 'ben' });
    now = start + 9_999;
    await team.as('ada').call('push', { body: { to: 'ben', body: 'still here' } });
    await short.until(() => short.messages().length === 1);
    now = start + 10_000;
    await short.ended;
    expect(short.frames.at(-1)?.event).toBe('bye');
    await team.as('ada').call('push', { body: { to: 'ben', body: 'and here' } });
    await long.until(() => long.messages().length === 2);
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    await long.ended;
    expect(await status(await platform.sign('k1', { sub: 'ben' }))).toBe(401);
  });
});

describe('without a platform', () => {
  it('every JWT is 401', async () => {
    await startOwn(() => ({}));
    const token = await platform.sign('k1');
    expect(await status(token)).toBe(401);
    expect(platform.keysRead()).toBe(0);
  });

  it('a JWKS at a private address that is not allowed is not fetched: 503', async () => {
    await startOwn(({ issuer, audience, jwksUrl }) => ({
      clock: () => now,
      config: { jwt: { issuer, audience, jwksUrl } },
    }));
    expect(await status(await platform.sign('k1'))).toBe(503);
    expect(platform.keysRead()).toBe(0);
  });
});

it('a push subscription that a JWT made ends when the JWT expires', async () => {
  await startOwn();
  const token = await platform.sign('k1');
  const endpoint = 'https://push.example/x';
  const keys = { p256dh: mintVapidKeys().publicKey, auth: 'a'.repeat(22) };
  const reply = await fetch(`${team.url}/push/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ endpoint, keys }),
  });
  expect(reply.status).toBe(201);
  const listed = async () => (await team.as('ben').call('pushSubscriptions', {})).subscriptions;
  expect(await listed()).toMatchObject([{ credential: { plane: 'jwt' } }]);
  now = start + 300_000;
  await expect.poll(listed).toEqual([]);
});
