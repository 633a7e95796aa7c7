import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutbound, type Resolve } from './outbound-fetch.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
/** Long enough for any machine, in tests that are not about time. */
const patient = { purpose: 'web_push', timeoutMs: 100_000, maxBytes: 1000 } as const;
const to = (...addresses: string[]): Resolve => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

describe('URLs the broker will not fetch', () => {
  const outbound = createOutbound({ allowHosts: () => ['Push.Example', '10.0.0.7', 'box:8443', '::1'] });
  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'https://me:secret@example.com/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]:1/'.replace('::1', '::2'),
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.1.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'http://box/',
    'not a url',
  ])('%s', async (url) => {
    expect(outbound.faultOf(url)).toMatch(/^must/);
    await expect(outbound.send(url, patient)).rejects.toMatchObject({ refused: true });
  });

  it.each([
    'https://example.com/x?y',
    'https://8.8.8.8/',
    'http://push.example/',
    'http://10.0.0.7:99/',
    'https://box:8443/',
    'http://[::1]:5/',
  ])('but will fetch %s', (url) => {
    expect(outbound.faultOf(url)).toBeNull();
  });
});

describe('a name', () => {
  it.each([
    ['one private address', ['192.168.0.5']],
    ['a private address among public ones', ['8.8.8.8', '127.0.0.1']],
    ['a private IPv6 address', ['fe80::1']],
    ['no address', []],
  ])('that resolves to %s is refused when sending', async (_, addresses) => {
    const outbound = createOutbound({ allowHosts: () => [], resolve: to(...addresses) });
    expect(outbound.faultOf('https://rebinding.example/')).toBeNull();
    await expect(outbound.send('https://rebinding.example/', patient)).rejects.toMatchObject({
      refused: true,
    });
  });

  it('is resolved once, and the checked address is the one that is connected to', async () => {
    const port = await serve((_, response) => response.end('here'));
    const asked: string[] = [];
    const outbound = createOutbound({
      allowHosts: () => ['push.example'],
      resolve: async (name) => {
        asked.push(name);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const reply = await outbound.send(`http://push.example:${port}/`, patient);
    expect(reply.body.toString()).toBe('here');
    expect(asked).toEqual(['push.example']);
  });
});

describe('an exchange', () => {
  const outbound = createOutbound({ allowHosts: () => ['127.0.0.1'] });

  it('does not follow a redirect', async () => {
    let hits = 0;
    const port = await serve((_, response) => {
      hits += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await outbound.send(`http://127.0.0.1:${port}/`, patient)).toMatchObject({ status: 302 });
    expect(hits).toBe(1);
  });

  it('fails if the reply is too large or takes too long', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/large') response.end('x'.repeat(1001));
      else response.write('slow');
    });
    await expect(outbound.send(`http://127.0.0.1:${port}/large`, patient)).rejects.toMatchObject({
      refused: false,
      message: 'the reply is too large',
    });
    await expect(
      outbound.send(`http://127.0.0.1:${port}/slow`, { ...patient, timeoutMs: 100 }),
    ).rejects.toMatchObject({ refused: false, message: 'no reply in time' });
  });

  it('fails clearly if nobody listens or the reply is interrupted', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('x', () => response.destroy());
    });
    await expect(outbound.send(`http://127.0.0.1:${port}/`, patient)).rejects.toMatchObject({
      refused: false,
    });
    await expect(outbound.send('http://127.0.0.1:1/', patient)).rejects.toMatchObject({
      message: 'the connection failed',
    });
  });

  it('fails if the reply asks for another protocol', async () => {
    const port = await serve((_, response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    await expect(outbound.send(`http://127.0.0.1:${port}/`, patient)).rejects.toMatchObject({
      message: 'the connection failed',
    });
  });
});
