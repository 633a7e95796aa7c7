/**
 * The two limits of one reserve of TOTP login: 5 failures per 15 minutes and member, 10 in all
 * (specification/authentication.md#login-limits). An attempt counts before it is verified, so that parallel
 * guesses cannot outrun the limit, and is taken back when it succeeds. An attempt without a name guesses the code of every
 * enrolled member, so it counts once for each of them, and what is more than the overall limit counts in the windows after
 * this one (ADR 0030). Nothing beyond the overall limit is recorded, whatever names are invented.
 */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';

const { windowMs, perMember, global } = limits.loginFailures;

export interface LoginTry {
  /**
   * The code was correct: the attempt is no failure, and the member's earlier ones no longer count against
   * it.
   */
  succeeded(member: string): void;
  /** The attempt could not be judged, so it is no failure. */
  giveBack(): void;
}

/** Whether the member's own limit was reached before this attempt. */
export type CountedTry = LoginTry & Pick<LoginFailures, 'isLimited'>;

interface Failure {
  member: string | null;
  at: number;
  /** When it no longer counts. */
  until: number;
}

export interface LoginFailures {
  /**
   * Counts an attempt for the given name, or null without one. @throws BrokerError rate_limited, with nothing
   * counted. `guessed`: the members whose code is tried.
   */
  begin(member: string | null, guessed?: readonly string[]): CountedTry;
  /** Returns the whole seconds until an attempt for this name has room; 0 if it has. */
  wait(member: string | null): number;
  /** Nothing counts at the moment. */
  isEmpty(): boolean;
  /** Whether this member's own limit is reached: then no code opens a session for it. */
  isLimited(member: string): boolean;
}

export function createLoginFailures(clock: Clock): LoginFailures {
  /** In the order in which they end. */
  let failures: Failure[] = [];

  function waitFor(counted: readonly Failure[], limit: number): number {
    const oldest = counted.at(-limit);
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest.until - clock()) / 1000));
  }

  const of = (member: string) => failures.filter((failure) => failure.member === member);

  /** A clock that was set back must not keep a failure longer. */
  function prune(): void {
    const now = clock();
    failures = failures.filter(({ at, until }) => at <= now && until > now);
  }

  function wait(member: string | null): number {
    prune();
    return waitFor(failures, global) || (member === null ? 0 : waitFor(of(member), perMember));
  }

  return {
    wait,
    begin(member, guessed = []) {
      const seconds = wait(member);
      if (seconds > 0) refuse('too_many_wrong_codes', { seconds }, { retryAfter: seconds });
      const earlier = failures;
      const names = guessed.length === 0 ? [member] : guessed;
      const own = names.map((name, n): Failure => {
        const at = clock();
        return { member: name, at, until: at + windowMs * (1 + Math.floor((earlier.length + n) / global)) };
      });
      failures = [...earlier, ...own].sort((a, b) => a.until - b.until);
      const giveBack = () => {
        failures = failures.filter((failure) => !own.includes(failure));
      };
      return {
        giveBack,
        isLimited: (name) => earlier.filter((failure) => failure.member === name).length >= perMember,
        succeeded(name) {
          giveBack();
          // They keep counting toward the total (specification/authentication.md#login-limits).
          for (const failure of of(name)) failure.member = null;
        },
      };
    },
    isEmpty() {
      prune();
      return failures.length === 0;
    },
    isLimited(member) {
      prune();
      return of(member).length >= perMember;
    },
  };
}
