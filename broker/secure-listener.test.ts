import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openAt,
  plaintextDocument,
  readDocument,
  readText,
  tempFolder,
} from './config/testing/config-fixture.ts';
import { writeUnlimitedAuthority } from './config/testing/unlimited-authority.ts';
import { createBroker } from './create-broker.ts';
import { createLog } from './runtime/log.ts';
import { createSecureListener } from './secure-listener.ts';
import { certificateFingerprint } from './security/fingerprint.ts';
import { hasLimits } from './security/name-constraints.ts';
import { freePort } from './testing/free-port.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';
import { testGuard } from './testing/test-guard.ts';
import { openTestStream } from './testing/test-stream.ts';
import { listenHttps } from './wire/listeners.ts';

const dayMs = 86_400_000;

/** As a browser that trusts the authority: names and dates are checked. */
async function read(url: string, ca: string, agent?: Agent): Promise<{ status: number; body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { ca, ...(agent && { agent }) }, resolve).on('error', reject);
  });
  let body = '';
  for await (const part of response.setEncoding('utf8')) body += part;
  return { status: response.statusCode ?? 0, body };
}

async function shownBy(port: number, ca: string): Promise<X509Certificate> {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate!;
}

describe('LAN access of a running broker', () => {
  let t: TestBroker;
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    t = await startTestBroker({ config: { listen: { httpsHost: '127.0.0.1', httpsPort: port } } });
  });
  afterEach(() => t.stop());
  const listeners = async () =>
    ((await (await t.fetch('ada', '/diagnostics')).json()) as { listeners: object[] }).listeners;

  it('is off until it is turned on', async () => {
    expect(t.broker.secureListener.access).toBeNull();
    expect((await t.fetch(null, '/ca.crt')).status).toBe(404);
    expect(await listeners()).toHaveLength(1);
    expect(await readdir(t.folder)).not.toContain('tls');
  });

  it('begins to listen without a restart, with a certificate that its own authority signed, and writes the block', async () => {
    const access = await t.broker.secureListener.start();
    expect(access).toMatchObject({
      url: `https://127.0.0.1:${port}`,
      urls: [`https://127.0.0.1:${port}`],
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const plain = await t.fetch(null, '/ca.crt');
    expect(plain.headers.get('content-type')).toBe('application/x-x509-ca-cert');
    const ca = await plain.text();
    expect(`sha256:${new X509Certificate(ca).fingerprint256.replaceAll(':', '').toLowerCase()}`).toBe(
      access.authorityFingerprint,
    );
    expect((await read(`${access.url}/healthz`, ca)).status).toBe(200);
    expect((await read(`${access.url}/ca.crt`, ca)).body).toBe(ca);
    const { https } = await readDocument(t.configPath);
    expect(https).toEqual({ port, cert: 'tls/server.crt', key: 'tls/server.key' });
    expect((await stat(join(t.folder, 'tls/server.key'))).mode & 0o777).toBe(0o600);
    expect(await listeners()).toEqual([
      { url: t.url, fingerprint: null },
      { url: access.url, fingerprint: access.fingerprint },
    ]);
    expect(await t.broker.secureListener.start()).toEqual(access);
  });

  it('is turned off: its streams get bye, others continue, the block is gone, and the same key and port are used when it is on again', async () => {
    const first = await t.broker.secureListener.start();
    const ca = await (await t.fetch(null, '/ca.crt')).text();
    const local = await t.stream('ben');
    const remote = await openTestStream(`${first.url}/subscribe?name=ada`, t.token('ada'), undefined, ca);
    await t.broker.secureListener.stop();
    await remote.ended;
    expect(remote.frames.at(-1)?.event).toBe('bye');
    await t.as('ada').call('push', { body: { to: 'ben', body: 'still here' } });
    await local.until(() => local.messages().length === 1);
    await expect(read(`${first.url}/healthz`, ca)).rejects.toThrow();
    expect(await readDocument(t.configPath)).toMatchObject({ listen: { httpsPort: port } });
    expect(await readDocument(t.configPath)).not.toHaveProperty('https');
    expect((await t.fetch(null, '/ca.crt')).status).toBe(404);
    const second = await t.broker.secureListener.start();
    expect([second.url, second.fingerprint]).toEqual([first.url, first.fingerprint]);
    expect((await read(`${second.url}/healthz`, ca)).status).toBe(200);
  });

  it('reads the block after a restart', async () => {
    const { fingerprint } = await t.broker.secureListener.start();
    await t.restart();
    expect(t.broker.secureListener.access).toMatchObject({ url: `https://127.0.0.1:${port}`, fingerprint });
    expect((await t.fetch(null, '/ca.crt')).status).toBe(200);
  });

  it('lets the desktop app start without it if it cannot open, says why, and opens it later', async () => {
    await t.broker.secureListener.start();
    await t.broker.close();
    const taken = createTcpServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const log = createLog({ destination: { write: () => undefined } });
    const broker = await createBroker({ configPath: t.configPath, env: {}, log });
    await expect(broker.listen({ port: 0 })).rejects.toThrow('the port is in use');
    expect(await broker.listen({ port: 0, isSecureOptional: true })).toHaveLength(1);
    expect(broker.secureListener).toMatchObject({
      access: null,
      fault: expect.stringMatching(/^LAN access stays off, because another program uses the port; /),
    });
    await new Promise((resolve) => taken.close(resolve));
    expect(await broker.secureListener.start()).toMatchObject({ url: `https://127.0.0.1:${port}` });
    expect(broker.secureListener.fault).toBeNull();
    await broker.close();
  });

  it('answers one clear sentence for a port that is in use, and writes nothing of the block', async () => {
    const taken = createTcpServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const before = await readText(t.configPath);
    await expect(t.broker.secureListener.start()).rejects.toMatchObject({ reason: 'https_port_in_use' });
    expect(await readText(t.configPath)).toBe(before);
    expect(t.broker.secureListener.access).toBeNull();
    await new Promise((resolve) => taken.close(resolve));
    expect(await t.broker.secureListener.start()).toMatchObject({ url: `https://127.0.0.1:${port}` });
  });

  it('stays off and listens nowhere if the configuration changed on disk', async () => {
    await writeFile(t.configPath, `${await readText(t.configPath)}\n`);
    await expect(t.broker.secureListener.start()).rejects.toThrow('changed on disk');
    expect(t.broker.secureListener.access).toBeNull();
    const probe = createTcpServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    await new Promise((resolve) => probe.close(resolve));
  });

  it('keeps working with a damaged authority file: the certificate is served, the authority is not', async () => {
    const { fingerprint } = await t.broker.secureListener.start();
    await writeFile(join(t.folder, 'tls/ca.crt'), 'rubbish');
    await t.restart();
    expect(t.broker.secureListener.access).toMatchObject({ fingerprint, authorityFingerprint: null });
    expect((await t.fetch(null, '/ca.crt')).status).toBe(404);
  });

  it('reports a damaged key with the remedy, and leaves it as it is', async () => {
    await t.broker.secureListener.start();
    await t.broker.secureListener.stop();
    await writeFile(join(t.folder, 'tls/server.key'), 'rubbish');
    await expect(t.broker.secureListener.start()).rejects.toThrow('is damaged. Restore it');
    expect(await readText(join(t.folder, 'tls/server.key'))).toBe('rubbish');
    expect(await readDocument(t.configPath)).not.toHaveProperty('https');
  });

  it('ends in the last requested state when it is turned on and off at once', async () => {
    const { secureListener } = t.broker;
    await Promise.all([
      secureListener.start(),
      secureListener.stop(),
      secureListener.start(),
      secureListener.stop(),
    ]);
    expect(secureListener.access).toBeNull();
    expect(await readDocument(t.configPath)).not.toHaveProperty('https');
  });
});

const network = (...addresses: string[]) => ({
  eth0: addresses.map((address) => ({ address, internal: false, family: 'IPv4' }) as NetworkInterfaceInfo),
});

describe('the certificate while it listens', () => {
  async function start(
    addresses: () => string[],
    now: () => number,
    { document = plaintextDocument(), keepFiles = (): Promise<void> => Promise.resolve() } = {},
  ) {
    const folder = await tempFolder();
    const path = join(folder, 'svc.json');
    await writeFile(path, JSON.stringify({ ...document, listen: { httpsPort: 0 } }), { mode: 0o600 });
    const config = await openAt(path);
    const hosts: (string | undefined)[] = [];
    const plain = createServer((_request, response) => response.end('here'));
    const secure = createSecureListener({
      guard: testGuard(),
      config,
      clock: now,
      log: createLog({ destination: { write: () => undefined } }),
      handle: (request, response) => plain.emit('request', request, response),
      endStreams: () => undefined,
      isClosing: () => false,
      drainTimeoutMs: 100,
      keepFiles,
      interfaces: () => network(...addresses()),
      // It asks for all interfaces; the test gives it loopback.
      listen: (handle, options) => {
        hosts.push(options.host);
        return listenHttps(handle, { ...options, host: '127.0.0.1' });
      },
    });
    return { secure, hosts, path };
  }

  it('covers all interfaces, and names an address for each of the machine’s names', async () => {
    const { secure, hosts } = await start(() => ['10.0.0.7', '10.0.0.8'], Date.now);
    const { urls } = await secure.start();
    expect(hosts).toEqual([undefined]);
    const { port } = secure.socket!;
    expect(urls).toEqual(expect.arrayContaining([`https://10.0.0.7:${port}`, `https://10.0.0.8:${port}`]));
    await secure.stop();
  });

  it('stays off and says so without a network', async () => {
    const { secure, path } = await start(() => [], Date.now);
    await expect(secure.start()).rejects.toMatchObject({ reason: 'no_network' });
    expect(await readDocument(path)).not.toHaveProperty('https');
  });

  it('gets a new address of the machine under the same key, and the existing connection continues', async () => {
    let addresses = ['10.0.0.7'];
    const { secure } = await start(() => addresses, Date.now);
    const { fingerprint } = await secure.start();
    const ca = secure.authority!;
    const { port } = secure.socket!;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await read(`https://127.0.0.1:${port}/`, ca, agent);
    expect(await secure.renew()).toBe(false);
    addresses = ['10.0.0.9'];
    expect(await secure.renew()).toBe(true);
    expect(await secure.renew()).toBe(false);
    const shown = await shownBy(port, ca);
    expect(shown.checkIP('10.0.0.9')).toBe('10.0.0.9');
    expect(certificateFingerprint(shown.raw)).toBe(fingerprint);
    expect((await read(`https://127.0.0.1:${port}/`, ca, agent)).body).toBe('here');
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    agent.destroy();
    await secure.stop();
  });

  it('is shown only when other machines have it', async () => {
    let addresses = ['10.0.0.7'];
    const kept: { isShown: boolean; text: string }[] = [];
    let isShown = async (_certificate: string) => false;
    const { secure, path } = await start(() => addresses, Date.now, {
      async keepFiles() {
        const text = await readText(join(path, '..', 'tls', 'server.crt'));
        kept.push({ isShown: await isShown(text), text });
      },
    });
    await secure.start();
    const ca = secure.authority!;
    const { port } = secure.socket!;
    isShown = async (text) => (await shownBy(port, ca)).raw.equals(new X509Certificate(text).raw);
    addresses = ['10.0.0.9'];
    expect(await secure.renew()).toBe(true);
    expect(kept.map((one) => one.isShown)).toEqual([false, false]);
    expect(await isShown(kept[1]?.text ?? '')).toBe(true);
    await secure.stop();
  });

  it('is renewed a month before its end, also if its key file was lost in the meantime', async () => {
    let now = Date.now();
    const { secure, path } = await start(
      () => ['10.0.0.7'],
      () => now,
    );
    const { fingerprint, expiresAt } = await secure.start();
    now = expiresAt - 29 * dayMs;
    await writeFile(join(path, '..', 'tls', 'server.key'), 'lost');
    expect(await secure.renew()).toBe(true);
    expect(secure.access).toMatchObject({ fingerprint });
    expect(secure.access!.expiresAt).toBeGreaterThan(expiresAt);
    await secure.stop();
    expect((await secure.start()).fingerprint).toBe(fingerprint);
    await secure.stop();
  });

  it('is renewed in use, but not written over a key that was put there for the next start', async () => {
    let now = Date.now();
    const { secure, path } = await start(
      () => ['10.0.0.7'],
      () => now,
    );
    const { fingerprint, expiresAt } = await secure.start();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const next = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await writeFile(join(path, '..', 'tls', 'server.key'), next);
    now = expiresAt - dayMs;
    expect(await secure.renew()).toBe(true);
    expect(secure.access).toMatchObject({ fingerprint });
    expect(await readText(join(path, '..', 'tls', 'server.key'))).toBe(next);
    await secure.stop();
  });

  it('is renewed at once if its authority has no limits, of a former version', async () => {
    const { secure, path } = await start(() => ['10.0.0.7'], Date.now);
    const { fingerprint } = await secure.start();
    await writeUnlimitedAuthority(path);
    const again = createSecureListener({
      config: await openAt(path),
      clock: Date.now,
      log: createLog({ destination: { write: () => undefined } }),
      handle: (_request, response) => void response.end(),
      guard: testGuard(),
      endStreams: () => undefined,
      isClosing: () => false,
      drainTimeoutMs: 100,
      interfaces: () => network('10.0.0.7'),
      listen: (handle, options) => listenHttps(handle, { ...options, host: '127.0.0.1', port: 0 }),
    });
    await again.open();
    expect(hasLimits(new X509Certificate(again.authority!).raw)).toBe(false);
    expect(await again.renew()).toBe(true);
    expect(await again.renew()).toBe(false);
    expect(hasLimits(new X509Certificate(again.authority!).raw)).toBe(true);
    expect(again.access).toMatchObject({ fingerprint });
    await again.stop();
    await secure.stop().catch(() => undefined);
  });

  it('that the broker did not create is neither renewed nor removed', async () => {
    const { secure, path } = await start(() => ['10.0.0.7'], Date.now);
    await secure.start();
    await secure.stop();
    const document = await readDocument(path);
    const tls = join(path, '..', 'tls');
    const own = join(path, '..', 'own.crt');
    await writeFile(own, await readText(join(tls, 'server.crt')));
    await writeFile(
      path,
      JSON.stringify({ ...document, https: { port: 0, cert: 'own.crt', key: 'tls/server.key' } }),
    );
    const config = await openAt(path);
    const other = createSecureListener({
      guard: testGuard(),
      config,
      clock: () => Date.now() + 390 * dayMs,
      log: createLog({ destination: { write: () => undefined } }),
      handle: (_request, response) => void response.end(),
      endStreams: () => undefined,
      isClosing: () => false,
      drainTimeoutMs: 100,
      listen: (handle, options) => listenHttps(handle, { ...options, host: '127.0.0.1' }),
    });
    await other.open();
    expect(other.authority).toBeNull();
    expect(await other.renew()).toBe(false);
    await expect(other.stop()).rejects.toMatchObject({ reason: 'foreign_certificates' });
    expect((await readDocument(path)).https.cert).toBe('own.crt');
    await other.socket!.close();
  });
});
