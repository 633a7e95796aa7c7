import { createHmac } from 'node:crypto';
import { type CryptoKey, exportJWK, exportSPKI } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mintVapidKeys } from '../../security/vapid.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';
import { type Platform, startPlatform } from './testing/platform.ts';

const start = Date.UTC(2026, 5, 1, 12);
let now = start;
interface Federation {
  platform: Platform;
  team: TestBroker;
}

/** Starts a platform with the key `k1`, and a broker that knows it unless `options` say otherwise. */
async function federate(
  clock: () => number,
  options?: (platform: Platform) => TestBrokerOptions,
): Promise<Federation> {
  const platform = await startPlatform(clock);
  await platform.addKey('k1', 'ES256');
  const { issuer, audience, jwksUrl } = platform;
  const known = { jwt: { issuer, audience, jwksUrl }, outbound: { allowHosts: ['127.0.0.1'] } };
  const team = await startTestBroker(options?.(platform) ?? { clock, config: known });
  return { platform, team };
}
async function end({ platform, team }: Federation): Promise<void> {
  await team.stop();
  await platform.close();
}

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
afterAll(() => end(shared));
beforeEach(() => {
  now = start;
  ({ platform, team } = shared);
});

/** Gives the present test a platform and a broker of its own, whose clock shows `now`. */
async function startOwn(options?: (platform: Platform) => TestBrokerOptions): Promise<void> {
  const own = await federate(() => now, options);
  onTestFinished(() => end(own));
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

  it('of an unknown key is 401; a key that the platform adds works once the keys may be fetched again', async () => {
    await startOwn();
    expect(await status(await platform.sign('k1'))).toBe(200);
    await platform.addKey('k2', 'EdDSA');
    const token = await platform.sign('k2');
    expect(await status(token)).toBe(401);
    expect(platform.keysRead()).toBe(1);
    now += 30_000;
    expect(await status(token)).toBe(200);
    expect(platform.keysRead()).toBe(2);
    await platform.addKey('k3', 'ES256');
    const unknown = await platform.sign('k3');
    platform.removeKey('k3');
    now += 30_000;
    for (let i = 0; i < 5; i++) expect(await status(unknown)).toBe(401);
    expect(platform.keysRead()).toBe(3);
  });

  it.each([
    ['without `kid`', undefined],
    ['with an unknown `kid`', 'k9'],
  ])('%s is accepted if any published key of its algorithm signed it', async (_, kid) => {
    await startOwn();
    for (const [name, algorithm] of [
      ['k2', 'ES256'],
      ['k3', 'RS256'],
    ] as const)
      await platform.addKey(name, algorithm);
    for (const signer of ['k1', 'k2', 'k3'])
      expect(await status(await platform.sign(signer, {}, { kid })), signer).toBe(200);
    expect(platform.keysRead()).toBe(1);
    const expired = await platform.sign('k2', { exp: seconds(start) - 61 }, { kid });
    now += 30_000;
    expect(await status(expired)).toBe(401);
    // No other key would help.
    expect(platform.keysRead()).toBe(1);
  });

  it('without `kid` is 401 if only a key for another algorithm or for encryption, or the 17th key fits', async () => {
    await startOwn();
    await platform.addKey('rsa', 'RS256');
    const jwk = await exportJWK(await platform.addKey('other', 'ES256'));
    const token = await platform.sign('other', {}, { kid: undefined });
    for (const rule of [{ alg: 'ES384' }, { alg: 'HS256' }, { use: 'enc' }, { key_ops: ['sign'] }]) {
      platform.publish('other', { ...jwk, ...rule });
      now += 30_000;
      expect(await status(token), JSON.stringify(rule)).toBe(401);
    }
    platform.publish('other', jwk);
    now += 30_000;
    expect(await status(token)).toBe(200);
    platform.removeKey('other');
    for (let n = 2; n <= 16; n++) await platform.addKey(`k${n}`, 'ES256');
    platform.publish('other', jwk);
    now += 600_001;
    const late = { exp: seconds(now) + 300 };
    expect(await status(await platform.sign('k16', late, { kid: undefined }))).toBe(200);
    expect(await status(await platform.sign('other', late, { kid: undefined }))).toBe(401);
  });

  it('without `kid` is accepted beside a broken key, and one forged with a published key is 401', async () => {
    await startOwn();
    const broken = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' };
    platform.publish('broken', broken);
    await platform.addKey('k2', 'ES256');
    const token = await platform.sign('k2', {}, { kid: undefined });
    expect(await status(token)).toBe(200);
    const pem = await exportSPKI(await platform.addKey('rsa', 'RS256'));
    const [, claims = ''] = token.split('.');
    const hmac = `${encode({ alg: 'HS256' })}.${claims}`;
    const confused = createHmac('sha256', pem).update(hmac).digest('base64url');
    for (const forged of [`${hmac}.${confused}`, `${encode({ alg: 'none' })}.${claims}.`])
      expect(await status(forged)).toBe(401);
  });

  it('of a key that the platform replaced under its `kid` works once the keys may be fetched again', async () => {
    await startOwn();
    const old = await platform.sign('k1');
    expect(await status(old)).toBe(200);
    await platform.addKey('k1', 'ES256');
    const token = await platform.sign('k1');
    expect(await status(token)).toBe(401);
    now += 29_999;
    expect(await status(token)).toBe(401);
    expect(platform.keysRead()).toBe(1);
    now += 1;
    expect(await status(token)).toBe(200);
    expect(await status(old)).toBe(401);
    expect(platform.keysRead()).toBe(2);
  });

  it('causes one fetch in 30 s if no key fits, however many come and even if the fetch fails, and the known keys stay', async () => {
    await startOwn();
    const good = await platform.sign('k1', { exp: seconds(start) + 3600 });
    expect(await status(good)).toBe(200);
    const forged = await Promise.all(
      [undefined, 'k1', 'k9'].map(async (kid) => {
        const [head, claims] = (await platform.sign('k1', {}, { kid })).split('.');
        return `${head}.${claims}.${'A'.repeat(86)}`;
      }),
    );
    const flood = async () =>
      new Set(await Promise.all(Array.from({ length: 60 }, (_, n) => status(forged[n % 3] ?? ''))));
    expect(await flood()).toEqual(new Set([401]));
    expect(platform.keysRead()).toBe(1);
    now += 30_000;
    expect(await flood()).toEqual(new Set([401]));
    expect(platform.keysRead()).toBe(2);
    platform.answer = (response) => response.writeHead(500).end();
    now += 30_000;
    expect(await flood()).toEqual(new Set([503]));
    now += 29_999;
    expect(await flood()).toEqual(new Set([503]));
    expect(platform.keysRead()).toBe(3);
    expect(await status(good)).toBe(200);
    platform.answer = null;
    now += 1;
    expect(await flood()).toEqual(new Set([401]));
    expect(platform.keysRead()).toBe(4);
  });

  it('of a withdrawn key is 401 after ten minutes at most', async () => {
    await startOwn();
    await platform.addKey('k2', 'ES256');
    const token = await platform.sign('k2', { exp: seconds(start) + 3600 });
    expect(await status(token)).toBe(200);
    platform.removeKey('k2');
    now += 600_000;
    expect(await status(token)).toBe(200);
    now += 1;
    expect(await status(token)).toBe(401);
  });

  it('is 503 during an outage of the key set, on this plane only; keys of the last ten minutes are used', async () => {
    await startOwn();
    const token = await platform.sign('k1', { exp: seconds(start) + 3600 });
    expect(await status(token)).toBe(200);
    platform.answer = (response) => response.writeHead(500).end();
    now += 600_000;
    expect(await status(token)).toBe(200);
    now += 1;
    const refused = await get(token);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: 'unavailable' });
    expect((await team.fetch('ben', '/session')).status).toBe(200);
    platform.answer = null;
    now += 2_000;
    expect(await status(token)).toBe(200);
  });

  it('is not affected by a clock that is set back a day: neither a withdrawn key nor an outage lasts for that day', async () => {
    await startOwn();
    await platform.addKey('k2', 'ES256');
    const token = await platform.sign('k2', { exp: seconds(start) + 3600 });
    expect(await status(token)).toBe(200);
    platform.removeKey('k2');
    now -= 86_400_000;
    expect(await status(token)).toBe(401);
    platform.answer = (response) => response.writeHead(500).end();
    now += 3_600_000;
    expect(await status(await platform.sign('k1'))).toBe(503);
    platform.answer = null;
    now -= 3_600_000;
    expect(await status(await platform.sign('k1'))).toBe(200);
  });

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['is not JSON', (response) => response.end('<html>')],
    ['is no key set', (response) => response.end('{"keys": 7}')],
    ['redirects', (response) => response.writeHead(302, { location: '/jwks2' }).end()],
    ['never ends', (response) => response.write(' '.repeat(300 * 1024))],
    ['breaks off', (response) => response.destroy()],
  ])('a key set that %s is 503', async (_, answer) => {
    await startOwn();
    platform.answer = answer;
    expect(await status(await platform.sign('k1'))).toBe(503);
  });

  it('of a broken key in the key set is 401, and other keys still work', async () => {
    await startOwn();
    await platform.addKey('broken', 'ES256');
    const token = await platform.sign('broken');
    platform.publish('broken', {
      kty: 'EC',
      crv: 'P-256',
      x: 'AAAA',
      y: 'AAAA',
      kid: 'broken',
      alg: 'ES256',
    });
    expect(await status(token)).toBe(401);
    expect(await status(await platform.sign('k1'))).toBe(200);
  });

  it('fetches the keys once for many requests at once', async () => {
    await startOwn();
    const token = await platform.sign('k1');
    expect(await Promise.all(Array.from({ length: 20 }, () => status(token)))).toEqual(
      Array.from({ length: 20 }, () => 200),
    );
    expect(platform.keysRead()).toBe(1);
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
