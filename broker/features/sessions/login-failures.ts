/**
 * The two limits of TOTP login (specification "Authentication" 3; D4): 5 failures per 15 minutes and member, 10 in all. A try counts
 * before it is verified, so that parallel guesses cannot outrun the limit, and is given back when it succeeds. Nothing beyond the
 * overall limit is ever recorded, so ten entries are the most there are, whatever names are made up.
 */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';

const { windowMs, perMember, global } = limits.loginFailures;

export interface LoginTry {
  /** The code was right: the try is no failure, and the member's earlier ones no longer count against it. */
  succeeded(member: string): void;
  /** It could not be judged: it is no failure. */
  giveBack(): void;
}

export interface LoginFailures {
  /** Counts a try, for the name as given; null when none was given. @throws BrokerError rate_limited, and nothing is counted. */
  begin(member: string | null): LoginTry;
  /** Whether this member's own limit is reached: no code opens a session for it then. */
  isLimited(member: string): boolean;
}

export function createLoginFailures(clock: Clock): LoginFailures {
  let failures: { member: string | null; at: number }[] = [];

  function refuseFull(counted: readonly { at: number }[], limit: number): void {
    const oldest = counted.at(-limit);
    if (oldest === undefined) return;
    const retryAfter = Math.max(1, Math.ceil((oldest.at + windowMs - clock()) / 1000));
    refuse('rate_limited', `too many wrong codes; try again in ${retryAfter} s`, { retryAfter });
  }

  const of = (member: string) => failures.filter((failure) => failure.member === member);

  /** A clock that was set back must not keep a failure for longer than the window. */
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
          // They go on counting against everybody together (D4).
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
