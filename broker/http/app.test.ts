import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorReply } from '#protocol/error-reply.ts';
import { limits } from '#protocol/limits.ts';
import type { PushResult } from '#protocol/message.ts';
import { operations } from '#protocol/operations.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
let host: string;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  host = new URL(team.url).host;
});
afterAll(() => team.stop());

const json = { 'content-type': 'application/json' };
const push = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  team.fetch('ada', '/push', { method: 'POST', body, headers });

async function expectError(reply: Response, status: number, code: string): Promise<void> {
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-type')).toContain('application/json');
  expect(ErrorReply.parse(await reply.json()).error).toBe(code);
}

describe('errors', () => {
  it('are JSON on every path: an unknown path is a JSON 404', async () => {
    for (const path of ['/nope', '/', '/push/', '/healthz/x', '/HEALTHZ', '/%2e%2e/etc/passwd']) {
      await expectError(await team.fetch('ada', path), 404, 'not_found');
    }
  });

  it('answer a wrong method on a known path like an unknown path', async () => {
    for (const method of ['DELETE', 'PUT', 'POST', 'QUERY']) {
      await expectError(await team.fetch('ada', '/healthz', { method }), 404, 'not_found');
    }
    expect((await team.fetch('ada', '/push', { method: 'HEAD' })).status).toBe(404);
    expect((await team.fetch('ada', '/nope', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('answer a wrong content type 415 bad_request', async () => {
    await expectError(await push('{"body":"x"}', { 'content-type': 'text/plain' }), 415, 'bad_request');
    await expectError(
      await push('{"body":"x"}', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'bad_request',
    );
  });

  it.each([
    ['broken JSON', '{"body":'],
    ['no JSON at all', 'body=x'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['a key that reaches a prototype', '{"body":"x","__proto__":{"a":1}}'],
    ['such a key within data', '{"body":"x","data":{"__proto__":{"a":1}}}'],
    [
      'a body nested a hundred thousand deep',
      `{"body":"x","data":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    ],
  ])('answer a body that is %s with 400 or keep it within bounds', async (_, body) => {
    const reply = await push(body);
    if (reply.status === 200) return;
    await expectError(reply, 400, 'bad_request');
  });

  it('answer data of 128 levels 200 and deeper data 400, and the broker keeps accepting messages', async () => {
    const nested = (levels: number) =>
      `{"body":"x","data":${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}}`;
    expect((await push(nested(128))).status).toBe(200);
    for (const levels of [129, 2500]) await expectError(await push(nested(levels)), 400, 'bad_request');
    await expectError(
      await push(`{"body":"x","data":{"a":${'['.repeat(8000)}${']'.repeat(8000)}}}`),
      400,
      'bad_request',
    );
    expect((await push('{"body":"x"}')).status).toBe(200);
  });

  it('name the place, and carry the schema’s issue list as details', async () => {
    const reply = await (await push('{"body":5,"level":"loud"}')).json();
    expect(reply).toMatchObject({
      error: 'bad_request',
      message: expect.stringMatching(/^body\.(body|level): /),
    });
    expect(reply).toMatchObject({ details: [{ path: ['body'] }, { path: ['level'] }] });
  });

  it('contain one fixed sentence when the broker fails; the cause is only in the log', async () => {
    expect(team.logged()).not.toContain('svc_');
  });
});

describe('a request for another protocol', () => {
  it('is refused with a sentence if it is CONNECT', async () => {
    const reply = await rawRequest(team.url, `CONNECT example.org:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1.1 400 [\s\S]*"reason":"tunnel_refused"/);
  });

  it('is answered in HTTP if it offers an upgrade, and its connection is closed', async () => {
    const offer = 'Connection: upgrade\r\nUpgrade: websocket';
    const push = `POST /push HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`;
    const reply = await rawRequest(
      team.url,
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n${offer}\r\n\r\n${push}`,
    );
    expect(reply).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close/i);
    expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
  });
});

describe('a request for another protocol that is refused', () => {
  it('does not make what follows it be read as requests', async () => {
    const lines = `${'x'.repeat(30)}\r\n`.repeat(41);
    const hidden = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const body = lines + hidden;
    const reply = await rawRequest(
      team.url,
      `POST /push HTTP/1.1\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}POST /fs/write?path=/ada/x HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(reply).toMatch(/^HTTP\/1.1 401 /);
    expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
  });
});

it('answers a HEAD request whose body does not end', async () => {
  const reply = await rawRequest(
    team.url,
    `HEAD /nothing HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`,
    (text) => text.includes('\r\n\r\n'),
  );
  expect(reply).toMatch(/^HTTP\/1.1 404 /);
});

describe('a long reply', () => {
  it('is whole over a socket and without one, as the desktop app asks', async () => {
    for (let n = 0; n < 3; n++)
      expect((await push(JSON.stringify({ to: 'ben', body: `${n}${'ä'.repeat(60_000)}` }))).status).toBe(200);
    const authorization = `Bearer ${team.token('ada')}`;
    const injected = await team.broker.inject({ url: '/history?with=ben', headers: { host, authorization } });
    const fetched = await team.fetch('ada', '/history?with=ben');
    expect(injected.statusCode).toBe(200);
    expect(injected.json().messages.length).toBeGreaterThanOrEqual(3);
    expect(await fetched.json()).toEqual(injected.json());
  });

  it('comes for a refused body too, however it is sent', async () => {
    const headers = { host, authorization: `Bearer ${team.token('ada')}`, ...json };
    const wrong = JSON.stringify({ body: 7 });
    const refused = await team.broker.inject({ method: 'POST', url: '/push', headers, payload: wrong });
    expect(refused.statusCode).toBe(400);
    const stranger = { ...headers, authorization: 'Bearer svc_nobody' };
    const unknown = await team.broker.inject({
      method: 'POST',
      url: '/push',
      headers: stranger,
      payload: wrong,
    });
    expect(unknown.statusCode).toBe(401);
  });
});

describe('body caps', () => {
  it('answer 413 over 1 MiB of JSON, keep the connection usable and store nothing', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = (body: string, headers: Record<string, string | number>) =>
      new Promise<{ status: number; port: number | undefined; text: string }>((resolve, reject) => {
        const sent = request(`${team.url}/push`, {
          method: 'POST',
          agent,
          headers: { ...json, authorization: `Bearer ${team.token('ada')}`, ...headers },
        });
        sent.on('error', reject).on('response', (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          reply.on('end', () =>
            resolve({ status: reply.statusCode ?? 0, port: sent.socket?.localPort, text }),
          );
        });
        sent.end(body);
      });
    const over = JSON.stringify({ body: 'x'.repeat(limits.body.json) });
    for (const headers of [{ 'content-length': over.length }, { 'transfer-encoding': 'chunked' }]) {
      const refused = await post(over, headers);
      expect(refused.status).toBe(413);
      expect(ErrorReply.parse(JSON.parse(refused.text)).error).toBe('payload_too_large');
      const next = await post('{"body":"small"}', {});
      expect(next).toMatchObject({ status: 200, port: refused.port });
    }
    agent.destroy();
    const { messages } = await team.as('ada').call('history', { query: {} });
    expect(messages.every(({ body }) => body.length < 1000)).toBe(true);
  });

  it('are 256 KiB for /setup', async () => {
    const body = JSON.stringify({ x: 'y'.repeat(limits.body.setup) });
    await expectError(
      await team.fetch(null, '/setup', { method: 'POST', body, headers: json }),
      413,
      'payload_too_large',
    );
  });
});

describe('X-SVC-Protocol', () => {
  it('may be missing or 1; anything else is 400 before authentication', async () => {
    expect((await team.fetch('ada', '/roster')).status).toBe(200);
    expect((await team.fetch('ada', '/roster', { headers: { 'x-svc-protocol': '1' } })).status).toBe(200);
    for (const version of ['2', '01', 'x', '']) {
      const reply = await team.fetch(null, '/roster', { headers: { 'x-svc-protocol': version } });
      expect(reply.status, version).toBe(400);
      expect(ErrorReply.parse(await reply.json()).message).toContain('must be 1');
    }
  });

  it('comes with every response, with the security headers', async () => {
    const malformed = await rawRequest(team.url, 'GARBAGE\r\n\r\n');
    const replies = [
      await team.fetch('ada', '/roster'),
      await team.fetch(null, '/roster'),
      await team.fetch('ada', '/nope'),
      await team.fetch('ada', '/healthz'),
    ];
    const expected = {
      'x-svc-protocol': '1',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    };
    for (const [name, value] of Object.entries(expected)) {
      for (const reply of replies) expect(reply.headers.get(name)).toBe(value);
      expect(malformed).toContain(`${name}: ${value}`);
    }
  });
});

it('ends a connection without another reply if invalid bytes arrive while a reply is being sent', async () => {
  const head = `GET /subscribe?name=ada HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${team.token('ada')}\r\n\r\n`;
  const socket = connect(Number(new URL(team.url).port), '127.0.0.1', () => socket.write(head));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    if (!text.includes('event: ready') && `${text}${chunk}`.includes('event: ready'))
      socket.write('GARBAGE\r\n\r\n');
    text += chunk;
  });
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toContain('HTTP/1.1 400');
});

describe('the Host and Origin guard', () => {
  const status = async (headers: Record<string, string>, path = '/healthz'): Promise<string> => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = await rawRequest(
      team.url,
      `GET ${path} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`,
    );
    return text.slice(9, 12);
  };

  it('answers loopback names and its own host name', async () => {
    const port = new URL(team.url).port;
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST', hostname(), `${hostname()}.local`]) {
      expect(await status({ Host: `${name}:${port}` }), name).toBe('200');
    }
  });

  it('refuses every other Host with 403, on the stream too', async () => {
    for (const name of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'x@127.0.0.1',
      '',
      '127.0.0.1, evil',
    ]) {
      expect(await status({ Host: name }), name).toBe('403');
    }
    const authorization = `Bearer ${team.token('ben')}`;
    expect(await status({ Host: 'evil.example', Authorization: authorization }, '/subscribe?name=ben')).toBe(
      '403',
    );
  });

  it('answers 400 to two Host headers, whichever of them is its own', async () => {
    const { host } = new URL(team.url);
    for (const hosts of [
      [host, host],
      [host, 'evil.example'],
      ['evil.example', host],
    ]) {
      const lines = hosts.map((name) => `Host: ${name}\r\n`).join('');
      const reply = await rawRequest(team.url, `GET /healthz HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
      expect(reply, hosts.join()).toMatch(/^HTTP\/1\.1 400 /);
      expect(reply).toContain('"repeated_host"');
    }
  });

  it('answers 400 to a missing Host', async () => {
    expect(await status({})).toBe('400');
  });

  it('refuses an Origin that is not its own with 403, `null` included', async () => {
    for (const origin of [
      'http://evil.example',
      'null',
      `https://${host}`,
      `http://${host}.evil.example`,
      'http://127.0.0.1:1',
    ]) {
      expect(await status({ Host: host, Origin: origin }), origin).toBe('403');
    }
    expect(await status({ Host: host, Origin: `http://${host}` })).toBe('200');
  });

  it('sends no CORS headers', async () => {
    const reply = await rawRequest(
      team.url,
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).not.toMatch(/access-control/i);
  });
});

describe('authentication', () => {
  it.each([
    ['nothing', ''],
    ['another scheme', 'Basic YWRhOmFkYQ=='],
    ['an unknown token', `Bearer svc_${'A'.repeat(43)}`],
    ['an empty token', 'Bearer '],
    ['a token with a suffix', 'Bearer {}x'],
    ['two tokens', 'Bearer {} {}'],
    ['a JWT', 'Bearer a.b.c'],
  ])('answers %s with 401 and the same words', async (_, value) => {
    const authorization = value.replaceAll('{}', team.token('ada'));
    const reply = await fetch(`${team.url}/roster`, { headers: { ...(authorization && { authorization }) } });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    expect(await reply.json()).toEqual({
      error: 'unauthenticated',
      reason: 'unauthenticated',
      message: 'a valid credential is needed; send Authorization: Bearer <token>',
    });
  });

  it('reads the scheme without regard to case', async () => {
    expect(
      (await fetch(`${team.url}/roster`, { headers: { authorization: `bearer ${team.token('ada')}` } }))
        .status,
    ).toBe(200);
  });
});

describe('requests that no client would send', () => {
  const head = (lines: string) =>
    `POST /push HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${team.token('ada')}\r\n${lines}\r\n`;

  it.each([
    ['two lengths', 'Content-Type: application/json\r\nContent-Length: 3\r\nContent-Length: 5\r\n'],
    [
      'a length and chunks',
      'Content-Type: application/json\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    ],
    [
      'a transfer coding that is unknown',
      'Content-Type: application/json\r\nTransfer-Encoding: xchunked\r\n',
    ],
    ['a length that is no number', 'Content-Type: application/json\r\nContent-Length: -1\r\n'],
    ['a header with a line break in its name', 'X\n Y: z\r\n'],
    ['an unknown expectation', 'Expect: 200-please\r\nContent-Length: 0\r\n'],
    ['headers that are too large', `X-Big: ${'y'.repeat(40_000)}\r\n`],
  ])('are answered 400 in the error shape: %s', async (_, lines) => {
    const text = await rawRequest(team.url, head(lines), (answer) => /\}$/.test(answer));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(ErrorReply.parse(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).error).toBe('bad_request');
  });

  it('are answered 400 when the address cannot be decoded', async () => {
    const text = await rawRequest(
      team.url,
      `GET /%zz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(text).toContain('{"error":');
  });

  it('never make the broker fail or hang, whatever body, path, query, or header they have', async () => {
    const paths = Object.values(operations).filter(({ reply }) => reply !== 'stream');
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue().map((v) => JSON.stringify(v)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        value,
        value,
        fc.string({ unit: 'grapheme-ascii' }),
        async (operation, body, query, header) => {
          const reply = await team.fetch(
            'ada',
            `${operation.path}?${encodeURIComponent(query)}=${encodeURIComponent(body)}&limit=${encodeURIComponent(query)}`,
            {
              method: operation.method,
              headers: { ...json, 'idempotency-key': header.replaceAll(/[^\x20-\x7e]/g, '') },
              ...(operation.method !== 'GET' && { body: Buffer.from(body, 'utf8') }),
            },
          );
          expect(reply.status).toBeLessThan(500);
          if (!reply.ok) ErrorReply.parse(await reply.json());
          else await reply.arrayBuffer();
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never make the broker fail on a message made of arbitrary fields', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            to: fc.oneof(fc.constantFrom('ada', 'ben', null), fc.jsonValue()),
            body: fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.jsonValue()),
            title: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
            level: fc.oneof(fc.constantFrom('info', 'debug'), fc.jsonValue()),
            data: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
            attachments: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
        async (payload) => {
          const reply = await push(JSON.stringify(payload));
          expect(reply.status).toBeLessThan(500);
          const answer = (await reply.json()) as PushResult;
          if (!reply.ok) return;
          const scope = answer.message.to === null ? {} : { with: answer.message.to };
          const { messages } = await team.as('ada').call('history', { query: { ...scope, limit: '1' } });
          expect(messages[0]).toEqual(answer.message);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('leave the broker answering', async () => {
    expect((await team.fetch('ada', '/healthz')).status).toBe(200);
    expect(team.logged()).not.toMatch(/"level":50/);
  });
});
