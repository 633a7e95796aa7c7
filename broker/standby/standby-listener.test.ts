import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, type RequestListener } from 'node:http';
import { get as getHttps, Agent as HttpsAgent } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { makeHttpsFiles } from '../config/https-files.ts';
import { createLog } from '../runtime/log.ts';
import { freePort } from '../testing/free-port.ts';
import { testGuard } from '../testing/test-guard.ts';
import { arrivalName } from '../wire/forwarded.ts';
import { type Listener, listenHttp, listenHttps } from '../wire/listeners.ts';
import { listenForMachines } from './forwarding-listener.ts';
import { listenStandingBy, type StandbyListener } from './standby-listener.ts';

const kek = createSecretKey(randomBytes(32));
let folder: string;
let configPath: string;
let port: number;
let httpsPort: number;
let listener: StandbyListener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-standby-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  [port, httpsPort] = [await freePort(), await freePort()];
  configPath = join(folder, 'svc.json');
  await writeFile(configPath, JSON.stringify({ listen: { port } }));
  const log = createLog({ level: 'silent' });
  listener = await listenStandingBy({ version: '1.2.3', configPath, at: {}, kek, log });
  onTestFinished(() => listener.close());
});

/** An active broker that says how it sees a connection, and what it got. */
async function startActive(): Promise<void> {
  const handle: RequestListener = async (request, response) => {
    const { remoteAddress, remotePort } = request.socket;
    const encrypted = 'encrypted' in request.socket && request.socket.encrypted;
    const bytes = (await text(request)).length;
    response.end(
      JSON.stringify({ remoteAddress, remotePort, encrypted, arrival: arrivalName(request.socket), bytes }),
    );
  };
  const names = { configured: [], all: ['127.0.0.1'] };
  const files = await makeHttpsFiles(configPath, { teamName: 'team', names, now: Date.now() });
  const at = { host: '127.0.0.1', port: 0, guard: testGuard() };
  const plain = await listenHttp(handle, { ...at, insecureHttp: false });
  const https = await listenHttps(handle, { ...at, ...files });
  const byEntrance: Record<string, Listener> = { plain, https };
  const machines = await listenForMachines({
    kek,
    host: '127.0.0.1',
    port: 0,
    receive: (to, socket, client) => byEntrance[to]?.receive(socket, client),
  });
  onTestFinished(async () => {
    machines.destroy();
    for (const open of [plain, https]) open.destroy();
    await Promise.all([machines.close(), plain.close(), https.close()]);
  });
  listener.point({ epoch: 1, address: `127.0.0.1:${machines.port}` });
}

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });

it('a machine that stands by says so at the address of its configuration, and refuses the rest while nobody is active', async () => {
  const health = await ask('/healthz?now');
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({ status: 'standby', version: '1.2.3' });
  for (const [path, method] of [
    ['/readyz', 'GET'],
    ['/push', 'POST'],
    ['/app', 'GET'],
  ] as const) {
    const refused = await ask(path, method);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: 'unavailable', reason: 'standing_by' });
  }
});

it('the active broker sees the client, and not the machine that passes the connection on', async () => {
  await startActive();
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.5' });
  onTestFinished(() => agent.destroy());
  for (let n = 0; n < 2; n += 1) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const request = get({ port, host: '127.0.0.1', path: '/a', agent }, async (response) =>
      resolve([JSON.parse(await text(response)), request.socket?.localPort]),
    );
    const [seen, ownPort] = (await promise) as [object, number];
    expect(seen).toMatchObject({
      remoteAddress: '127.0.0.5',
      remotePort: ownPort,
      encrypted: false,
      arrival: '127.0.0.1',
    });
  }
  const large = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x'.repeat(5_000_000) });
  expect(await large.json()).toMatchObject({ bytes: 5_000_000 });
  expect((await ask('/readyz')).status).toBe(503);
  expect((await ask('/readyz2')).status).toBe(200);
});

it('HTTPS is passed on as soon as the configuration has it, with the certificate of the active broker', async () => {
  await startActive();
  const https = { port: httpsPort, cert: 'tls/server.crt', key: 'tls/server.key' };
  await writeFile(configPath, JSON.stringify({ listen: { port, httpsHost: '127.0.0.1' }, https }));
  await listener.refresh();
  const agent = new HttpsAgent({ localAddress: '127.0.0.6', rejectUnauthorized: false, keepAlive: true });
  onTestFinished(() => agent.destroy());
  for (let n = 0; n < 2; n += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    getHttps({ port: httpsPort, host: '127.0.0.1', path: '/healthz', agent }, (response) =>
      resolve(text(response)),
    ).on('error', reject);
    expect(JSON.parse(await promise)).toMatchObject({
      remoteAddress: '127.0.0.6',
      encrypted: true,
      arrival: '127.0.0.1',
    });
  }
  await writeFile(configPath, JSON.stringify({ listen: { port } }));
  await listener.refresh();
  const refused = connect(httpsPort, '127.0.0.1');
  const failure = await new Promise((resolve) => refused.once('error', resolve));
  expect(failure).toMatchObject({ code: 'ECONNREFUSED' });
});

it('one source has no more connections than at a broker', async () => {
  const all = Array.from({ length: 600 }, () =>
    connect({ port: port, host: '127.0.0.1', localAddress: '127.0.0.1' }),
  );
  onTestFinished(() => {
    for (const socket of all) socket.destroy();
  });
  await writeFile(configPath, JSON.stringify({ listen: { port, unlimitedSources: [] } }));
  await listener.refresh();
  const refused = connect(port, '127.0.0.1');
  expect(await text(refused)).toContain('too_many_connections');
});
