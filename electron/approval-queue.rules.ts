/**
 * The rules of the approval window: which code it shows and when it accepts input
 * (specification/desktop.md#windows-tray-approvals). The window opens by itself when a device asks, so a key
 * press or a click that was meant for another window must not decide anything.
 */
import type { PendingEnrollment } from '#protocol/enrollment.ts';

/**
 * The time for which an approval window ignores keys and clicks after it came to the front or its code
 * changed.
 */
export const armingMs = 700;

/** `shownAt`: when the window came to the front last; null while it has not been shown. */
export const isArmed = (shownAt: number | null, now: number): boolean =>
  shownAt !== null && now - shownAt >= armingMs;

export interface ApprovalView {
  userCode: string;
  /** For example "1 of 3". */
  position: string;
  title: string;
}

/**
 * Returns the shown code while it is waiting, then the oldest one; null if no code is waiting, which closes
 * the window.
 */
export function approvalView(
  pending: readonly PendingEnrollment[],
  shown: string | null,
  now: number,
): ApprovalView | null {
  const waiting = stillWaiting(pending, now);
  const at = Math.max(
    0,
    waiting.findIndex(({ userCode }) => userCode === shown),
  );
  const one = waiting[at];
  if (one === undefined) return null;
  const position = `${at + 1} of ${waiting.length}`;
  return { userCode: one.userCode, position, title: `${one.userCode}: a device asks to join (${position})` };
}

export const stillWaiting = (pending: readonly PendingEnrollment[], now: number): PendingEnrollment[] =>
  pending.filter(({ expiresAt }) => expiresAt > now);

/** Returns the codes that were not there before; each opens the window once. */
export function newCodes(
  before: readonly PendingEnrollment[],
  after: readonly PendingEnrollment[],
): string[] {
  const known = new Set(before.map(({ userCode }) => userCode));
  return after.map(({ userCode }) => userCode).filter((code) => !known.has(code));
}
