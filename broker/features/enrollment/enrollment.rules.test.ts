import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerPoll, assertUndecided, type EnrollmentStatus, type PollState } from './enrollment.rules.ts';

const base: PollState = {
  status: 'pending',
  expiresAt: 600_000,
  intervalMs: 5_000,
  polledAt: null,
  holdsToken: false,
};
const wait = (intervalMs: number) => ({ answer: 'authorization_pending', intervalMs });
const slow = (intervalMs: number) => ({ answer: 'slow_down', intervalMs });

describe('the answer to a poll', () => {
  it.each<[string, PollState | undefined, number, object]>([
    ['an unknown code: expired_token', undefined, 1, { answer: 'expired_token' }],
    ['the first poll is never slow_down', base, 0, wait(5_000)],
    ['polled after the interval: wait', { ...base, polledAt: 1_000 }, 6_000, wait(5_000)],
    ['polled too soon: slow_down, 5 s more', { ...base, polledAt: 1_000 }, 5_999, slow(10_000)],
    ['the longer interval stays', { ...base, polledAt: 0, intervalMs: 10_000 }, 9_999, slow(15_000)],
    ['and is enough when kept', { ...base, polledAt: 0, intervalMs: 10_000 }, 10_000, wait(10_000)],
    [
      'a member still being written waits',
      { ...base, status: 'approving', holdsToken: true },
      1,
      wait(5_000),
    ],
    ['approved: deliver', { ...base, status: 'approved', holdsToken: true }, 1, { answer: 'deliver' }],
    [
      'approved, polled too soon: deliver all the same',
      { ...base, status: 'approved', holdsToken: true, polledAt: 0 },
      1,
      { answer: 'deliver' },
    ],
    ['used: expired_token', { ...base, status: 'approved' }, 1, { answer: 'expired_token' }],
    ['rejected: access_denied', { ...base, status: 'rejected' }, 1, { answer: 'access_denied' }],
    ['the last moment', base, 599_999, wait(5_000)],
    ['expired: expired_token', base, 600_000, { answer: 'expired_token' }],
    ['swept: expired_token', { ...base, status: 'expired' }, 1, { answer: 'expired_token' }],
    [
      'approved, but never fetched in time: expired_token',
      { ...base, status: 'approved', holdsToken: true },
      600_000,
      { answer: 'expired_token' },
    ],
    [
      'rejected and expired: expired_token',
      { ...base, status: 'rejected' },
      600_000,
      { answer: 'expired_token' },
    ],
  ])('%s', (_, state, now, answer) => {
    expect(answerPoll(state, now)).toEqual(answer);
  });

  it('never shrinks the interval, and delivers only an approved request that still holds its token', () => {
    const states = fc.record({
      status: fc.constantFrom<EnrollmentStatus>('pending', 'approving', 'approved', 'rejected', 'expired'),
      expiresAt: fc.integer({ min: 0, max: 600_000 }),
      intervalMs: fc.integer({ min: 5_000, max: 100_000 }),
      polledAt: fc.option(fc.integer({ min: 0, max: 600_000 })),
      holdsToken: fc.boolean(),
    });
    fc.assert(
      fc.property(states, fc.integer({ min: 0, max: 700_000 }), (state, now) => {
        const answer = answerPoll(state, now);
        if ('intervalMs' in answer) expect(answer.intervalMs).toBeGreaterThanOrEqual(state.intervalMs);
        expect(answer.answer === 'deliver').toBe(
          state.status === 'approved' && state.holdsToken && now < state.expiresAt,
        );
      }),
    );
  });
});

describe('a request that can still be decided', () => {
  it.each<[EnrollmentStatus | null, number, string | null]>([
    [null, 0, 'not_found'],
    ['pending', 0, null],
    ['pending', 10, 'gone'],
    ['expired', 0, 'gone'],
    ['approving', 0, 'conflict'],
    ['approved', 0, 'conflict'],
    ['approved', 10, 'conflict'],
    ['rejected', 0, 'conflict'],
  ])('%s at %d: %s', (status, now, code) => {
    const decide = () => assertUndecided(status === null ? undefined : { status, expiresAt: 10 }, now);
    if (code === null) expect(decide()).toEqual({ status, expiresAt: 10 });
    else expect(decide).toThrow(expect.objectContaining({ code }));
  });
});
