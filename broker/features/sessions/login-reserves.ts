/**
 * The reserves of login failures. Each has the limits of the specification for itself, so that wrong codes from one
 * address lock out nobody elsewhere; all strangers together have one more, because addresses are cheap (ADR 0030).
 */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type CountedTry, createLoginFailures, type LoginFailures } from './login-failures.ts';
import type { Reserve } from './login-reserves.rules.ts';

export interface LoginReserves {
  /**
   * Counts an attempt in the first of these reserves that has room. @throws BrokerError rate_limited, with
   * nothing counted. `guessed`: the members whose code is tried, if the attempt names none.
   */
  begin(member: string | null, reserves: readonly Reserve[], guessed?: readonly string[]): CountedTry;
  /** The number of reserves in which something counts. */
  size(): number;
}

const strangerKey = 'strangers';

export function createLoginReserves(clock: Clock): LoginReserves {
  /** Those in which something counts: no more than failures of strangers, known devices, and members. */
  const failuresByKey = new Map<string, LoginFailures>();
  const strangers = createRateLimit({ ...limits.strangerLoginFailures, clock });

  const failuresOf = (key: string): LoginFailures => failuresByKey.get(key) ?? createLoginFailures(clock);

  function forgetEmpty(): void {
    for (const [key, failures] of failuresByKey) if (failures.isEmpty()) failuresByKey.delete(key);
  }

  const waitIn = ({ key, isStranger }: Reserve, member: string | null): number =>
    Math.max(failuresOf(key).wait(member), isStranger ? strangers.wait(strangerKey) : 0);

  return {
    size: () => failuresByKey.size,
    begin(member, reserves, guessed = []) {
      forgetEmpty();
      const waits = reserves.map((reserve) => waitIn(reserve, member));
      const reserve = reserves[waits.indexOf(0)];
      if (reserve === undefined) {
        const seconds = Math.min(...waits);
        return refuse('too_many_wrong_codes', { seconds }, { retryAfter: seconds });
      }
      const failures = failuresOf(reserve.key);
      failuresByKey.set(reserve.key, failures);
      const attempt = failures.begin(member, guessed);
      const counts = reserve.isStranger ? Math.max(1, guessed.length) : 0;
      const counted = Array.from({ length: counts }, () => strangers.count(strangerKey));
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
