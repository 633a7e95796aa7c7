import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { svcCommand } from '#platform/svc-command.ts';
import { type BearerCache, createBearerCache } from './bearer-cache.ts';
import { resolveAddress, resolveBearer } from './credentials.ts';

let folder: string;
let cache: BearerCache;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  cache = createBearerCache({ path: join(folder, 'auth.json') });
});
afterEach(() => rm(folder, { recursive: true }));

describe('the broker’s address: --url, then SVC_URL, then the only cached one, then the default', () => {
  it('is --url before everything', async () => {
    await cache.save('http://cached:1', 'svc_c');
    const found = await resolveAddress({ url: 'http://option:1', env: { SVC_URL: 'http://env:1' }, cache });
    expect(found).toEqual({ url: 'http://option:1', from: '--url' });
  });

  it('is SVC_URL before the cache', async () => {
    await cache.save('http://cached:1', 'svc_c');
    expect((await resolveAddress({ env: { SVC_URL: 'http://env:1' }, cache })).url).toBe('http://env:1');
  });

  it('is the only cached one', async () => {
    await cache.save('http://cached:1', 'svc_c');
    expect((await resolveAddress({ env: { SVC_URL: '' }, cache })).url).toBe('http://cached:1');
  });

  it('is http://127.0.0.1:8717 if none or several are cached', async () => {
    expect((await resolveAddress({ env: {}, cache })).url).toBe('http://127.0.0.1:8717');
    await cache.save('http://one:1', 'svc_1');
    await cache.save('http://two:1', 'svc_2');
    expect((await resolveAddress({ env: {}, cache })).url).toBe('http://127.0.0.1:8717');
  });

  it.each(['', 'localhost:8717', 'ftp://a', 'http://ada:secret@a', 'http://a/?x=1', 'nonsense'])(
    'refuses %j with a sentence that does not repeat it',
    async (url) => {
      const refused = resolveAddress({ url, env: {}, cache });
      await expect(refused).rejects.toThrow('the address from --url is not the address of a broker');
      await expect(refused).rejects.not.toThrow('secret');
    },
  );
});

describe('the credential: --token, then SVC_TOKEN, then the cache', () => {
  const url = 'https://a:1';

  it('is each in its turn', async () => {
    await cache.save(url, 'svc_cached');
    const env = { SVC_TOKEN: 'svc_env' };
    expect(await resolveBearer({ token: 'svc_option', env, cache }, url)).toEqual({
      token: 'svc_option',
      from: '--token',
    });
    expect(await resolveBearer({ env, cache }, url)).toEqual({ token: 'svc_env', from: 'SVC_TOKEN' });
    expect(await resolveBearer({ env: {}, cache }, url)).toEqual({ token: 'svc_cached', from: 'cache' });
  });

  it('needs no cache if both are given', async () => {
    await writeFile(cache.path, 'damaged');
    const request = { url, token: 'svc_option', env: {}, cache };
    expect((await resolveAddress(request)).url).toBe(url);
    expect((await resolveBearer(request, url)).token).toBe('svc_option');
  });

  it('is missing with a sentence that lists the saved addresses', async () => {
    await expect(resolveBearer({ env: {}, cache }, url)).rejects.toThrow(
      `there is no token for https://a:1; run "${svcCommand} connect" to get one, or pass --token or set SVC_TOKEN`,
    );
    await cache.save('http://b:1', 'svc_b');
    await expect(resolveBearer({ env: {}, cache }, url)).rejects.toThrow(
      'one of the saved addresses (http://b:1)',
    );
  });

  it('is refused if it cannot be in a header, without repeating it', async () => {
    const refused = resolveBearer({ token: 'svc_secret\nx', env: {}, cache }, url);
    await expect(refused).rejects.toThrow('the token from --token is not valid');
    await expect(refused).rejects.not.toThrow('secret');
  });
});

describe('a token over plain HTTP', () => {
  const token = 'svc_option';
  const others = [
    'http://10.0.0.7:8717',
    'http://box.local',
    'http://[fd00::1]:8717',
    'http://localhost.example',
    'http://127.0.0.1.example',
  ];
  it.each(others)('is refused for another machine, from every source: %s', async (url) => {
    await cache.save(url, 'svc_cached');
    for (const request of [
      { token, env: {}, cache },
      { env: { SVC_TOKEN: token, SVC_URL: url }, cache },
      { env: {}, cache },
    ]) {
      const refused = resolveBearer(request, url);
      await expect(refused).rejects.toMatchObject({ reason: 'address' });
      await expect(refused).rejects.toThrow(/plain HTTP to another machine.*--insecure-http/);
    }
    const accepted = { token, env: {}, cache, 'insecure-http': true };
    expect((await resolveBearer(accepted, url)).token).toBe(token);
    expect((await resolveBearer({ token, env: { SVC_INSECURE_HTTP: '1' }, cache }, url)).token).toBe(token);
    expect((await resolveBearer({ token, env: {}, cache }, url.replace('http:', 'https:'))).token).toBe(
      token,
    );
  });

  it.each([
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:1',
    'http://LOCALHOST',
  ])('is sent to this machine: %s', async (url) => {
    expect((await resolveBearer({ token, env: {}, cache }, url)).token).toBe(token);
  });
});
