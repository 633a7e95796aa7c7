import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorReply } from '#protocol/error-reply.ts';
import { limits } from '#protocol/limits.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker();
});
afterAll(() => team.stop());

interface Answer {
  status: number;
  body: unknown;
}

async function answerTo(path: string, init?: RequestInit, name: string | null = 'ben'): Promise<Answer> {
  const reply = await team.fetch(name, path, init);
  return { status: reply.status, body: await reply.json() };
}

const post = (path: string, body: string, name?: string) =>
  answerTo(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } }, name);

async function answerToBytes(head: string): Promise<Answer> {
  const text = await rawRequest(team.url, `${head}\r\nConnection: close\r\n\r\n`);
  const [, status] = text.split(' ', 2);
  return { status: Number(status), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) };
}

const host = () => `Host: ${new URL(team.url).host}`;

interface Case {
  title: string;
  ask: () => Promise<Answer>;
  expected: { status: number; error: string; reason: string; message: string };
}

const beforeRouting: Case[] = [
  {
    title: 'another Host',
    ask: () => answerToBytes('GET /healthz HTTP/1.1\r\nHost: evil.example'),
    expected: {
      status: 403,
      error: 'forbidden',
      reason: 'unknown_host',
      message: 'this broker does not answer to that Host; add the name to listen.hosts in its configuration',
    },
  },
  {
    title: 'another version of the protocol',
    ask: () => answerToBytes(`GET /healthz HTTP/1.1\r\n${host()}\r\nX-SVC-Protocol: 2`),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'unsupported_protocol',
      message: 'X-SVC-Protocol must be 1, the only version that this broker supports',
    },
  },
  {
    title: 'bytes that are not HTTP',
    ask: () => answerToBytes('not HTTP at all'),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'invalid_http',
      message: 'the request is not valid HTTP',
    },
  },
  {
    title: 'headers that are too large',
    ask: () => answerToBytes(`GET /healthz HTTP/1.1\r\n${host()}\r\nX-Large: ${'x'.repeat(100_000)}`),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'headers_too_large',
      message: 'the headers are too large',
    },
  },
  {
    title: 'an Expect header',
    ask: () => answerToBytes(`GET /healthz HTTP/1.1\r\n${host()}\r\nExpect: 200-ok`),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'unsupported_expectation',
      message: 'this broker does not support that Expect header',
    },
  },
  {
    title: 'an address that cannot be decoded',
    ask: () => answerTo('/members/%E0%A4%A'),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'invalid_url',
      message: 'the address is not a valid URL',
    },
  },
  {
    title: 'an unknown path',
    ask: () => answerTo('/nope'),
    expected: {
      status: 404,
      error: 'not_found',
      reason: 'unknown_path',
      message: 'there is no such path',
    },
  },
];

const beforeHandlers: Case[] = [
  {
    title: 'no credential',
    ask: () => answerTo('/briefing', {}, null),
    expected: {
      status: 401,
      error: 'unauthenticated',
      reason: 'unauthenticated',
      message: 'a valid credential is needed; send Authorization: Bearer <token>',
    },
  },
  {
    title: 'a body that is too large',
    ask: () => post('/push', JSON.stringify({ body: 'x'.repeat(limits.body.json) })),
    expected: {
      status: 413,
      error: 'payload_too_large',
      reason: 'body_too_large',
      message: `the body is larger than the ${limits.body.json} bytes that this path accepts`,
    },
  },
  {
    title: 'invalid JSON',
    ask: () => post('/push', '{"body":'),
    expected: {
      status: 400,
      error: 'bad_request',
      reason: 'invalid_json',
      message: 'the body is not valid JSON in UTF-8',
    },
  },
  {
    title: 'another content type',
    ask: () => answerTo('/push', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }),
    expected: {
      status: 415,
      error: 'bad_request',
      reason: 'wrong_content_type',
      message: 'the body must be application/json',
    },
  },
  {
    title: 'a missing right',
    ask: () => answerTo('/enroll/pending'),
    expected: {
      status: 403,
      error: 'forbidden',
      reason: 'missing_right',
      message: 'you may not do this: it needs members.manage',
    },
  },
];

const inHandlers: Case[] = [
  {
    title: 'an unknown recipient, which the service refuses',
    ask: () => post('/push', JSON.stringify({ to: 'nobody', body: 'hello' })),
    expected: {
      status: 404,
      error: 'not_found',
      reason: 'unknown_member',
      message: 'there is no member named "nobody"',
    },
  },
  {
    title: 'an unknown channel, which a store thread refuses',
    ask: () => answerTo('/channels/nowhere'),
    expected: {
      status: 404,
      error: 'not_found',
      reason: 'unknown_channel_slug',
      message: 'there is no channel #nowhere',
    },
  },
];

describe.each([
  { where: 'before routing', cases: beforeRouting },
  { where: 'before the handler', cases: beforeHandlers },
  { where: 'in the handler', cases: inHandlers },
])('a refusal $where carries its code, reason, and message', ({ cases }) => {
  it.each(cases)('$title', async ({ ask, expected: { status, ...expected } }) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(ErrorReply.parse(answer.body)).toEqual(expected);
  });
});

it('a schema’s refusal carries its issues beside the reason', async () => {
  const { body } = await post('/push', '{}');
  expect(body).toMatchObject({
    error: 'bad_request',
    reason: 'invalid_request',
    details: [{ path: ['body'] }],
  });
});
