import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { exchange } from '#client/http-exchange.ts';
import { createPinnedAgent, readFingerprint } from '#client/pinned-agent.ts';
import { createAuthority, issueLeaf } from '../../broker/security/certificates.ts';
import { certificateFingerprint } from '../../broker/security/fingerprint.ts';

const now = Date.now();

async function startBroker(options: { maxVersion?: 'TLSv1.2' | 'TLSv1.3' } = {}) {
  const { key, certificate } = await issueLeaf({
    authority: await createAuthority({ teamName: 'team', names: ['localhost'], now: now }),
    names: ['127.0.0.1'],
    now,
  });
  let received = 0;
  const server = createServer({ key, cert: certificate, ...options }, (_request, response) => {
    response.setHeader('connection', 'close');
    response.end('here');
  });
  server.on('secureConnection', (socket) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fingerprint: certificateFingerprint(certificate),
    receivedBytes: () => received,
  };
}

function ask(url: string, fingerprint: string) {
  const agent = createPinnedAgent(url, fingerprint);
  onTestFinished(() => agent.destroy());
  const headers = { authorization: 'Bearer svc_secret' };
  return () => exchange(url, { method: 'GET', headers, signal: new AbortController().signal, agent });
}

// A resumed TLS session does not send the certificate again.
it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'recognizes a pinned broker on every further connection (%s)',
  async (maxVersion) => {
    const { url, fingerprint } = await startBroker({ maxVersion });
    const again = ask(url, fingerprint);
    for (let connection = 1; connection <= 4; connection++)
      expect(await (await again()).text(), `connection ${connection}`).toBe('here');
  },
);

it('sends nothing of the request to a broker with another key, and names both keys', async () => {
  const [known, other] = [await startBroker(), await startBroker()];
  const error = await ask(other.url, known.fingerprint)().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'tls' });
  expect(String(error)).toContain(`${other.fingerprint} instead of ${known.fingerprint}`);
  expect(other.receivedBytes()).toBe(0);
});

it('reads the key of a broker without sending anything to it', async () => {
  const { url, fingerprint, receivedBytes } = await startBroker();
  expect(await readFingerprint(url)).toBe(fingerprint);
  expect(receivedBytes()).toBe(0);
});

it('gives up on a pinned address that is silent during its handshake when the signal aborts, and soon closes the connection', async () => {
  const silent = createSocketServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const agent = createPinnedAgent(url, 'sha256:0', 200);
  const [waiting, [socket]] = await Promise.all([
    exchange(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(50), agent }).catch(String),
    once(silent, 'connection'),
  ]);
  expect(waiting).toContain('TimeoutError');
  await once(socket.resume(), 'close');
});
