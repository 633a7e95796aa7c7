/** The HTTP interface for every request: errors, caps of bodies, long replies, the protocol's version, and authentication. */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorReply } from '#protocol/error-reply.ts';
import { limits } from '#protocol/limits.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
let host: string;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  host = new URL(team.url).host;
});
afterAll(async () => {
  const logged = team.logged();
  await team.stop();
  // No request made the broker fail.
  expect(logged).not.toMatch(/"level":50/);
});

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
