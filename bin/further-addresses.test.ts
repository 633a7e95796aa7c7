import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BearerCache, createBearerCache } from '#client/bearer-cache.ts';
import { createHttpClient } from '#client/http-client.ts';
import { createPinnedAgent } from '#client/pinned-agent.ts';
import { makeTeamKeys, type TeamKeys } from '../broker/testing/team-keys.ts';
import { learnAddresses } from './further-addresses.ts';

let keys: TeamKeys;
let cache: BearerCache;
beforeAll(async () => {
  keys = await makeTeamKeys();
});
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-addresses-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  cache = createBearerCache({ path: join(folder, 'auth.json') });
});

/** A broker that answers with this text, and a client of it with a saved connection. */
async function connectTo(answer: (url: string) => unknown, status = 200) {
  const server = createServer(keys, (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer(url))),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as { port: number }).port}`;
  const agent = createPinnedAgent(url, keys.fingerprint);
  onTestFinished(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  await cache.save(url, 'svc_a');
  return { http: createHttpClient({ url, token: 'svc_a', agent }), url };
}
const saved = async () => (await cache.entries())[0]?.addresses;

describe('the addresses that a broker names', () => {
  it('are saved if they are HTTPS and have the confirmed key, without the one that is saved already', async () => {
    const { fingerprint } = keys;
    const { http, url } = await connectTo((url) => ({
      addresses: [
        { url, fingerprint },
        { url: 'https://10.0.0.2:8718', fingerprint },
        { url: 'https://10.0.0.2:8718', fingerprint },
        { url: 'http://10.0.0.3:8718', fingerprint },
        { url: 'https://10.0.0.4:8718', fingerprint: `sha256:${'0'.repeat(64)}` },
        { url: 'https://10.0.0.5:8718' },
        { url: `https://${'a'.repeat(300)}`, fingerprint },
        { url: 7, fingerprint },
        null,
      ],
    }));
    await learnAddresses(http, { cache, url, fingerprint });
    expect(await saved()).toEqual(['https://10.0.0.2:8718']);
  });

  it('are saved up to 16', async () => {
    const { fingerprint } = keys;
    const addresses = Array.from({ length: 40 }, (_, n) => ({ url: `https://10.0.1.${n}:1`, fingerprint }));
    const { http, url } = await connectTo(() => ({ addresses }));
    await learnAddresses(http, { cache, url, fingerprint });
    expect(await saved()).toHaveLength(16);
  });

  it('are not asked for without a confirmed key', async () => {
    const { http, url } = await connectTo(() => ({ addresses: [] }), 500);
    await learnAddresses(http, { cache, url, fingerprint: undefined });
    expect(await saved()).toBeUndefined();
  });

  it.each([
    ['a list that is none', { addresses: 'https://10.0.0.2:8718' }, 200],
    ['a broker without the operation', { error: 'not_found', message: 'no such path' }, 404],
  ])('are none for %s', async (_, answer, status) => {
    const { http, url } = await connectTo(() => answer, status);
    await learnAddresses(http, { cache, url, fingerprint: keys.fingerprint }).catch(() => undefined);
    expect(await saved()).toBeUndefined();
  });

  it('replace the saved ones, which stay if the broker does not answer', async () => {
    const { fingerprint } = keys;
    const server = await connectTo(() => ({ addresses: [{ url: 'https://10.0.0.3:1', fingerprint }] }));
    await cache.keepAddresses(server.url, ['https://10.0.0.2:1']);
    const connection = { cache, url: server.url, fingerprint };
    const gone = createHttpClient({ url: 'https://127.0.0.1:1', token: 'svc_a' });
    await expect(learnAddresses(gone, connection)).rejects.toThrow('nothing answers');
    expect(await saved()).toEqual(['https://10.0.0.2:1']);
    await learnAddresses(server.http, connection);
    expect(await saved()).toEqual(['https://10.0.0.3:1']);
  });

  it('are written only when they change', async () => {
    const { fingerprint } = keys;
    const { http, url } = await connectTo(() => ({
      addresses: [{ url: 'https://10.0.0.2:1', fingerprint }],
    }));
    const connection = { cache, url, fingerprint };
    await learnAddresses(http, connection);
    const text = await readFile(cache.path, 'utf8');
    let writes = 0;
    const counting = { ...cache, keepAddresses: async () => void writes++ };
    await learnAddresses(http, { ...connection, cache: counting });
    expect([await readFile(cache.path, 'utf8'), writes]).toEqual([text, 0]);
  });
});
