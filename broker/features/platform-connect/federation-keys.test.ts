/** The keys of a platform: the key that a JWT needs, and the times at which the broker fetches the published ones. */
import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI } from 'jose';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TestBroker } from '../../testing/test-broker.ts';
import { endFederation, federate } from './testing/federation.ts';
import type { Platform } from './testing/platform.ts';

const start = Date.UTC(2026, 5, 1, 12);
let now = start;
/** Of the present test. */
let platform: Platform;
let team: TestBroker;
beforeEach(() => {
  now = start;
});

/** Gives the present test a platform and a broker of its own, whose clock shows `now`. */
async function startOwn(): Promise<void> {
  const own = await federate(() => now);
  onTestFinished(() => endFederation(own));
  ({ platform, team } = own);
}

const get = (token: string, path = '/session') =>
  fetch(team.url + path, { headers: { authorization: `Bearer ${token}` } });
const status = async (token: string, path?: string) => (await get(token, path)).status;
const seconds = (at: number) => Math.floor(at / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a JWT of the configured platform', () => {
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
});
