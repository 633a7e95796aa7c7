import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operations } from '#protocol/operations.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  await team.as('ada').call('push', { body: { body: 'x'.repeat(60_000) } });
  await team.fetch('ada', '/fs/write?path=/ada/large.bin', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.alloc(300_000, 'large'),
  });
});
afterAll(() => team.stop());

/** Everything that the connection carried after the headers. */
function bodyOf(method: string, path: string): Promise<{ status: number; length?: string; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${team.token('ada')}`, connection: 'close' };
    const call = request(team.url + path, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.on('error', reject).on('end', () => {
        const { statusCode = 0, headers: answered } = response;
        const length = answered['content-length'];
        resolve({ status: statusCode, ...(length !== undefined && { length }), body });
      });
    });
    call.on('error', reject).end();
  });
}

describe('HEAD', () => {
  it.each([
    '/healthz',
    '/roster',
    '/history?limit=1',
    '/fs/read/ada/large.bin',
    '/fs/read/ada/none.bin',
    '/objectives',
    '/openapi.json',
    '/members/nobody/tokens',
  ])('is answered like GET, without a body: %s', async (path) => {
    const head = await bodyOf('HEAD', path);
    const { body, ...get } = await bodyOf('GET', path);
    expect(body).not.toBe('');
    expect(head.body).toBe('');
    expect(head.status).toBe(get.status);
    // The time of the caller's last request is part of some answers, so their lengths may differ.
    expect(head.length === undefined).toBe(get.length === undefined);
  });

  it('leaves the connection usable', async () => {
    for (let n = 0; n < 3; n++) {
      const head = await team.fetch('ada', '/fs/read/ada/large.bin', { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe('300000');
      expect(await (await team.fetch('ada', '/fs/read/ada/large.bin')).arrayBuffer()).toHaveProperty(
        'byteLength',
        300_000,
      );
    }
  });

  it('needs the credential that GET needs', async () => {
    expect((await team.fetch(null, '/roster', { method: 'HEAD' })).status).toBe(401);
    expect((await team.fetch('ben', '/audit', { method: 'HEAD' })).status).toBe(403);
  });

  it('is 404 on a stream', async () => {
    expect((await team.fetch('ada', '/subscribe?name=ada', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('OPTIONS', () => {
  const methodsByPath = new Map<string, string[]>();
  for (const { method, path, reply } of Object.values(operations) as Operation[]) {
    const methods = methodsByPath.get(path) ?? ['OPTIONS'];
    methodsByPath.set(path, [
      ...methods,
      method,
      ...(method === 'GET' && reply !== 'stream' ? ['HEAD'] : []),
    ]);
  }

  it.each([...methodsByPath])('names the methods of %s', async (path, methods) => {
    const url = path.replaceAll(/:\w+|\*/g, 'x');
    const reply = await team.fetch(null, url, { method: 'OPTIONS' });
    expect([reply.status, reply.headers.get('allow'), await reply.text()]).toEqual([
      204,
      methods.sort().join(', '),
      '',
    ]);
  });

  it('lets no other site in', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const reply = await team.fetch(null, '/push', { method: 'OPTIONS', headers });
    expect(reply.status).toBe(403);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('what members wrote', () => {
  it.each([
    '/history?limit=1',
    '/search?q=x',
    '/audit',
    '/briefing',
    '/members/ada/tokens',
    '/fs/read/ada/large.bin',
    '/fs/read/ada/none.bin',
    '/unread',
  ])('stays on no disk of a browser: %s', async (path) => {
    const reply = await team.fetch('ada', path);
    await reply.arrayBuffer();
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('includes what creates credentials', async () => {
    const rotated = await team.fetch('ben', '/members/ben/rotate-token', { method: 'POST' });
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const login = await team.fetch(null, '/session/totp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: '000000', member: 'ada' }),
    });
    expect([login.status, login.headers.get('cache-control')]).toEqual([401, 'no-store']);
  });
});
