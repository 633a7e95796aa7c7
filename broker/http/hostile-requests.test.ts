/** Requests that no client would send: other protocols, malformed bytes, and arbitrary content. */
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorReply } from '#protocol/error-reply.ts';
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
