/**
 * The two limits of one reserve of TOTP login: 5 failures per 15 minutes and member, 10 in all
 * (specification/authentication.md#login-limits). An attempt counts before it is verified, so that parallel
 * guesses cannot outrun the limit, and is taken back when it succeeds. Nothing beyond the overall limit is
 * recorded, so there are at most ten entries, whatever names are invented.
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

export interface LoginFailures {
  /**
   * Counts an attempt for the given name, or null without one. @throws BrokerError rate_limited, with nothing
   * counted.
   */
  begin(member: string | null): LoginTry;
  /** Returns the whole seconds until an attempt for this name has room; 0 if it has. */
  wait(member: string | null): number;
  /** Nothing counts at the moment. */
  isEmpty(): boolean;
  /** Whether this member's own limit is reached: then no code opens a session for it. */
  isLimited(member: string): boolean;
}

export function createLoginFailures(clock: Clock): LoginFailures {
  let failures: { member: string | null; at: number }[] = [];

  function waitFor(counted: readonly { at: number }[], limit: number): number {
    const oldest = counted.at(-limit);
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest.at + windowMs - clock()) / 1000));
  }

  const of = (member: string) => failures.filter((failure) => failure.member === member);

  /** A clock that was set back must not keep a failure longer than the window. */
  function prune(): void {
    const now = clock();
    failures = failures.filter(({ at }) => at <= now && at > now - windowMs);
  }

  function wait(member: string | null): number {
    prune();
    return waitFor(failures, global) || (member === null ? 0 : waitFor(of(member), perMember));
  }

  return {
    wait,
    begin(member) {
      const seconds = wait(member);
      if (seconds > 0) refuse('too_many_wrong_codes', { seconds }, { retryAfter: seconds });
      const own = { member, at: clock() };
      failures.push(own);
      const giveBack = () => {
        failures = failures.filter((failure) => failure !== own);
      };
      return {
        giveBack,
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
