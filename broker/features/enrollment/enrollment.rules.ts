/**
 * The life of a device enrollment: what a poll is answered, and what can still be decided
 * (specification/enrollment.md#polling). Pure.
 */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

/**
 * `approving` lasts while a new member is written to the configuration. To the device and to managers, the
 * request is still undecided.
 */
export type EnrollmentStatus = 'pending' | 'approving' | 'approved' | 'rejected' | 'expired';

export interface PollState {
  status: EnrollmentStatus;
  expiresAt: number;
  intervalMs: number;
  /** Null before the first poll, which is never too early. */
  polledAt: number | null;
  /** The token waits for the device: not delivered yet, and not revoked in the meantime. */
  holdsToken: boolean;
}

export type PollAnswer =
  | { answer: 'authorization_pending' | 'slow_down'; intervalMs: number }
  | { answer: 'expired_token' | 'access_denied' | 'deliver' };

/**
 * An unknown, used, or expired code is `expired_token`. Polling before the interval has passed makes it
 * longer for good.
 */
export function answerPoll(state: PollState | undefined, now: number): PollAnswer {
  if (state === undefined || state.status === 'expired' || now >= state.expiresAt)
    return { answer: 'expired_token' };
  if (state.status === 'rejected') return { answer: 'access_denied' };
  if (state.status === 'approved') return { answer: state.holdsToken ? 'deliver' : 'expired_token' };
  const { polledAt, intervalMs } = state;
  if (polledAt !== null && now - polledAt < intervalMs) {
    return { answer: 'slow_down', intervalMs: intervalMs + limits.enrollment.slowDownMs };
  }
  return { answer: 'authorization_pending', intervalMs };
}

/**
 * @throws BrokerError not_found for an unknown code, gone for an expired one, conflict for one that is
 *   decided.
 */
export function assertUndecided<T extends { status: EnrollmentStatus; expiresAt: number }>(
  state: T | undefined,
  now: number,
): T {
  if (state === undefined) refuse('unknown_user_code');
  if (state.status === 'approving' || state.status === 'approved' || state.status === 'rejected')
    refuse('already_decided');
  if (state.status === 'expired' || now >= state.expiresAt) refuse('user_code_expired');
  return state;
}
