/**
 * The reserves of login failures. Each has the limits of the specification for itself, so that wrong codes from one
 * address lock out nobody elsewhere; strangers have limits of a day as well, because addresses are cheap (ADR 0030).
 */
import { createHmac, randomBytes } from 'node:crypto';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type CountedTry, createLoginFailures, type LoginFailures } from './login-failures.ts';
import type { DayLimit, Reserve } from './login-reserves.rules.ts';

export interface LoginReserves {
  /**
   * Counts an attempt in the first of these reserves that has room. @throws BrokerError rate_limited, with
   * nothing counted. `guessed`: the members whose code is tried, if the attempt names none.
   */
  begin(member: string | null, reserves: readonly Reserve[], guessed?: readonly string[]): CountedTry;
  /** The number of reserves in which something counts. */
  size(): number;
}

const { windowMs, nameCounters, ...maxima } = limits.strangerLoginFailures;

/** Counts what strangers fail in a day. */
function createStrangerDays(clock: Clock) {
  const dayOf = (max: number) => createRateLimit({ max, windowMs, clock });
  const days = {
    all: dayOf(maxima.all),
    unnamed: dayOf(maxima.unnamed),
    perNetwork: dayOf(maxima.perNetwork),
    perName: dayOf(maxima.perName),
  };
  const salt = randomBytes(16);

  /** Names that exist and names that do not are counted alike, so that the answer tells nobody which is which. */
  const keyOf = ({ limit, key }: DayLimit): string =>
    limit === 'perName'
      ? `${createHmac('sha256', salt).update(key).digest().readUInt32BE() % nameCounters}`
      : key;

  return {
    wait: (day: DayLimit): number => days[day.limit].wait(keyOf(day)),
    count: (day: DayLimit): (() => void) => days[day.limit].count(keyOf(day)),
  };
}

export function createLoginReserves(clock: Clock): LoginReserves {
  /** Those in which something counts: no more than failures of strangers, known devices, and members. */
  const failuresByKey = new Map<string, LoginFailures>();
  const strangers = createStrangerDays(clock);

  const failuresOf = (key: string): LoginFailures => failuresByKey.get(key) ?? createLoginFailures(clock);

  function forgetEmpty(): void {
    for (const [key, failures] of failuresByKey) if (failures.isEmpty()) failuresByKey.delete(key);
  }

  const waitIn = ({ key, days }: Reserve, member: string | null): number =>
    Math.max(failuresOf(key).wait(member), ...days.map(strangers.wait));

  return {
    size: () => failuresByKey.size,
    begin(member, reserves, guessed = []) {
      forgetEmpty();
      const waits = reserves.map((reserve) => waitIn(reserve, member));
      const reserve = reserves[waits.indexOf(0)];
      if (reserve === undefined) {
        const seconds = Math.min(...waits);
        const reason = member === null ? 'too_many_unnamed_codes' : 'too_many_wrong_codes';
        return refuse(reason, { seconds }, { retryAfter: seconds });
      }
      const failures = failuresOf(reserve.key);
      failuresByKey.set(reserve.key, failures);
      const attempt = failures.begin(member, guessed);
      const guesses = Math.max(1, guessed.length);
      const counted = reserve.days.flatMap((day) =>
        Array.from({ length: guesses }, () => strangers.count(day)),
      );
      const takeBack = () => {
        for (const takeOneBack of counted) takeOneBack();
      };
      return {
        isLimited: attempt.isLimited,
        giveBack() {
          attempt.giveBack();
          takeBack();
        },
        succeeded(name) {
          attempt.succeeded(name);
          takeBack();
        },
      };
    },
  };
}
