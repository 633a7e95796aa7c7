import { describe, expect, it } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { createLoginFailures } from './login-failures.ts';

const minute = 60_000;

describe('counting login failures', () => {
  let now = 1_000_000;
  const fresh = () => {
    now = 1_000_000;
    return createLoginFailures(() => now);
  };
  const refusalOf = (work: () => unknown): BrokerError | null => {
    try {
      work();
      return null;
    } catch (error) {
      return error as BrokerError;
    }
  };

  it('reports the whole seconds until the oldest failure no longer counts', () => {
    const failures = fresh();
    for (let i = 0; i < 5; i++) {
      failures.begin('ben');
      now += minute + 1;
    }
    const refusal = refusalOf(() => failures.begin('ben'));
    expect(refusal?.retryAfter).toBe(10 * 60);
    now += 10 * minute - 6;
    expect(refusalOf(() => failures.begin('ben'))?.retryAfter).toBe(1);
    now += 1;
    expect(refusalOf(() => failures.begin('ben'))).toBeNull();
  });

  it('counts nothing beyond the limit, so that more attempts do not extend a lockout', () => {
    const failures = fresh();
    for (let i = 0; i < 10; i++) failures.begin(`name ${i}`);
    for (let i = 0; i < 1000; i++) {
      now += 100;
      expect(refusalOf(() => failures.begin(`name ${i}`))?.code).toBe('rate_limited');
    }
    now = 1_000_000 + 15 * minute;
    expect(refusalOf(() => failures.begin('ben'))).toBeNull();
  });

  it('counts an attempt before it is verified, and takes it back when it succeeds or could not be judged', () => {
    const failures = fresh();
    const tries = Array.from({ length: 5 }, () => failures.begin('ben'));
    expect(failures.isLimited('ben')).toBe(true);
    tries[0]?.giveBack();
    expect(failures.isLimited('ben')).toBe(false);
    tries[1]?.succeeded('ben');
    for (let i = 0; i < 5; i++) failures.begin('ben');
    expect(failures.isLimited('ben')).toBe(true);
    // Eight of these failed or are still in progress, so two more are allowed, whoever they are for.
    failures.begin(null);
    failures.begin(null);
    expect(refusalOf(() => failures.begin(null))).toBeInstanceOf(BrokerError);
  });

  it('counts an attempt without a name once for each member whose code it guesses, for as long as named guesses would take', () => {
    const failures = fresh();
    const enrolled = Array.from({ length: 65 }, (_, n) => `m${n}`);
    failures.begin(null, enrolled).giveBack();
    failures.begin('m1').succeeded('m1');
    failures.begin(null, enrolled);
    let tries = 1;
    for (const end = now + 24 * 60 * minute; now < end; now += minute)
      try {
        failures.begin(null, enrolled);
        tries++;
      } catch (error) {
        expect(error).toMatchObject({ reason: 'too_many_wrong_codes' });
      }
    // As many guesses as ten in 15 minutes, and those of the last attempt.
    expect(tries * enrolled.length).toBeLessThanOrEqual(10 * 4 * 24 + enrolled.length);
    expect(tries).toBeGreaterThan(10);
  });

  it('counts an attempt without a name toward the limit of each of these members', () => {
    const failures = fresh();
    for (let i = 0; i < 4; i++) failures.begin(null, ['ben', 'cy']);
    const last = failures.begin(null, ['ben', 'cy']);
    expect(last.isLimited('ben')).toBe(false);
    expect(failures.isLimited('ben')).toBe(true);
    expect(failures.isLimited('dan')).toBe(false);
  });

  it('does not keep a failure longer when the clock is set back', () => {
    const failures = fresh();
    for (let i = 0; i < 10; i++) failures.begin(null);
    now -= 60 * minute;
    expect(refusalOf(() => failures.begin(null))).toBeNull();
  });
});
