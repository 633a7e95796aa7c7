/** Connections that differ in nothing but the address that they came in at. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { writeInPieces } from '../../broker/http/send-whole.ts';
import { createAuthority, issueLeaf } from '../../broker/security/certificates.ts';
import { testGuard } from '../../broker/testing/test-guard.ts';
import { type Listener, listenHttps } from '../../broker/wire/listeners.ts';

/** More than the buffers of two systems hold. */
const replyBytes = 64 * 1024 * 1024;
const addresses = ['127.0.0.1', '127.0.0.2'] as const;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

// Other systems have only one loopback address.
it.runIf(process.platform === 'linux')(
  'two TLS connections from one port to two addresses do not wait for each other',
  async () => {
    const now = Date.now();
    const authority = await createAuthority({ teamName: 'Test', names: [...addresses], now });
    const { key, certificate } = await issueLeaf({ authority, names: [...addresses], now });
    const guard = testGuard({});
    ends.push(() => guard.stop());

    async function listenAt(host: string, port: number): Promise<Listener> {
      const listener = await listenHttps(
        (request, response) => {
          const bytes = request.url === '/large' ? replyBytes : 0;
          response.writeHead(200, { 'content-length': bytes });
          void writeInPieces(response, Buffer.alloc(bytes)).then(() => response.end());
        },
        { host, port, guard, key, certificate },
      );
      ends.push(() => listener.close());
      return listener;
    }
    const port = Number(new URL((await listenAt(addresses[0], 0)).url).port);
    await listenAt(addresses[1], port);

    async function dial(host: string, localPort?: number): Promise<Socket> {
      const socket = connect({ host, port, localAddress: '127.0.0.1', ...(localPort && { localPort }) });
      socket.on('error', () => undefined);
      ends.push(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }
    async function secured(socket: Socket): Promise<Socket> {
      const carrier = connectSecurely({ socket, ca: authority.certificate, host: addresses[0] });
      await once(carrier, 'secureConnect');
      return carrier;
    }
    const first = await dial(addresses[0]);
    const second = await dial(addresses[1], first.localPort);
    expect(second.localPort).toBe(first.localPort);
    const [slow, quick] = [await secured(first), await secured(second)];
    slow.pause().write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => slow.readableLength).toBeGreaterThan(0);
    quick.write('GET /small HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String(await once(quick, 'data'))).toContain('200 OK');
  },
);
