/**
 * The two limits of TOTP login: 5 failures per 15 minutes and member, 10 in all
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
  /** Whether this member's own limit is reached: then no code opens a session for it. */
  isLimited(member: string): boolean;
}

export function createLoginFailures(clock: Clock): LoginFailures {
  let failures: { member: string | null; at: number }[] = [];

  function refuseFull(counted: readonly { at: number }[], limit: number): void {
    const oldest = counted.at(-limit);
    if (oldest === undefined) return;
    const seconds = Math.max(1, Math.ceil((oldest.at + windowMs - clock()) / 1000));
    refuse('too_many_wrong_codes', { seconds }, { retryAfter: seconds });
  }

  const of = (member: string) => failures.filter((failure) => failure.member === member);

  /** A clock that was set back must not keep a failure longer than the window. */
  function prune(): void {
    const now = clock();
    failures = failures.filter(({ at }) => at <= now && at > now - windowMs);
  }

  return {
    begin(member) {
      prune();
      refuseFull(failures, global);
      if (member !== null) refuseFull(of(member), perMember);
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
    isLimited(member) {
      prune();
      return of(member).length >= perMember;
    },
  };
}
