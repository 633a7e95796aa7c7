import { describe, expect, it } from 'vitest';
import type { RefusedAnswer } from '../gateway/model-reply.rules.ts';
import { refusalOf, refusalOfWords, retryDelay } from './model-refusal.rules.ts';

const now = Date.UTC(2026, 10, 22, 12);
const refused = (change: Partial<RefusedAnswer>): RefusedAnswer => ({
  status: 429,
  headers: {},
  type: null,
  message: null,
  resetsAt: null,
  resetsInSeconds: null,
  ...change,
});

describe('the cause of a refusal', () => {
  it.each([
    ['login', { status: 401 }],
    ['login', { status: 403, type: 'permission_error' }],
    ['limit', { status: 429, type: 'rate_limit_error' }],
    ['overloaded', { status: 500 }],
    ['overloaded', { status: 529, type: 'overloaded_error' }],
    ['rejected', { status: 400, type: 'invalid_request_error' }],
    ['rejected', { status: 402 }],
    ['unreachable', { status: null }],
    ['overloaded', { status: 200, type: 'overloaded_error' }],
    ['limit', { status: 200, type: 'insufficient_quota' }],
    ['rejected', { status: 200, type: 'context_length_exceeded' }],
  ] as const)('is %s for %o', (cause, change) => {
    expect(refusalOf(refused(change), now).cause).toBe(cause);
  });

  it.each([
    ['login', { status: null, kind: 'authentication_failed', message: 'Not logged in · Please run /login' }],
    ['login', { status: null, kind: null, message: 'Not logged in · Please run /login' }],
    ['limit', { status: null, kind: 'usageLimitExceeded', message: 'You have hit your usage limit.' }],
    ['overloaded', { status: 529, kind: 'rate_limit', message: 'Overloaded' }],
    ['overloaded', { status: null, kind: 'serverOverloaded', message: 'high demand' }],
    ['unreachable', { status: null, kind: 'responseStreamDisconnected', message: 'Connection failed' }],
    ['rejected', { status: null, kind: 'badRequest', message: 'no' }],
  ] as const)('is %s for the words %o', (cause, failure) => {
    expect(refusalOfWords(failure).cause).toBe(cause);
  });
});

describe('the end of a limit', () => {
  it.each([
    ['seconds', { headers: { 'retry-after': '90' } }, 90_000],
    ['a date', { headers: { 'retry-after': new Date(now + 60_000).toUTCString() } }, 60_000],
    ['the body’s seconds', { resetsInSeconds: 120 }, 120_000],
    ['the body’s time', { resetsAt: now / 1000 + 30 }, 30_000],
    [
      'a subscription’s time',
      { headers: { 'anthropic-ratelimit-unified-reset': String(now / 1000 + 40) } },
      40_000,
    ],
    [
      'the exhausted kind of several',
      {
        headers: {
          'anthropic-ratelimit-requests-remaining': '5',
          'anthropic-ratelimit-requests-reset': new Date(now + 5000).toISOString(),
          'anthropic-ratelimit-input-tokens-remaining': '0',
          'anthropic-ratelimit-input-tokens-reset': new Date(now + 7000).toISOString(),
        },
      },
      7000,
    ],
    [
      'a duration',
      { headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0.5s' } },
      360_500,
    ],
  ])('is read from %s', (_, change, afterMs) => {
    expect(refusalOf(refused(change), now).until).toBe(now + afterMs);
  });

  it.each([{ 'retry-after': '-1' }, { 'retry-after': 'soon' }, { 'retry-after': '99999999999' }, {}])(
    'is unknown for %o',
    (headers) => {
      expect(refusalOf(refused({ headers }), now)).toEqual({ cause: 'limit' });
    },
  );
});

it('says what the service said in one line of at most 200 characters, without addresses', () => {
  const message = `first\nline\u0000 http://127.0.0.1:1/secret/responses ${'x'.repeat(300)}`;
  const { detail } = refusalOf(refused({ message }), now);
  expect(detail).toMatch(/^first line … x+$/);
  expect(detail).toHaveLength(200);
});

describe('the time until the next attempt', () => {
  it('doubles from a second to five minutes, with jitter', () => {
    const delays = [1, 2, 3, 9, 10, 1000].map((failures) => retryDelay(failures, undefined, now, 1));
    expect(delays).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
    expect(retryDelay(2, undefined, now, 0)).toBe(1500);
  });

  it('lasts until a known limit ends, but at most five minutes', () => {
    expect(retryDelay(1, now + 20_000, now, 1)).toBe(20_000);
    expect(retryDelay(1, now + 3_600_000, now, 1)).toBe(300_000);
    expect(retryDelay(4, now + 20, now, 1)).toBe(8000);
  });
});
