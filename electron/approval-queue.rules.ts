/**
 * The approval window: which code it shows, and when it takes input (design "Windows, tray, approvals"). It opens by itself when a device
 * asks, so a key or a click meant for another window must not decide anything.
 */
import type { PendingEnrollment } from '#protocol/enrollment.ts';

/** How long an approval window ignores every key and click after it came to the front or its code changed. */
export const armingMs = 700;

export const isArmed = (shownAt: number, now: number): boolean => now - shownAt >= armingMs;

export interface ApprovalView {
  userCode: string;
  /** "1 of 3". */
  position: string;
  title: string;
}

/** The code on show stays while it waits; then the oldest is next. Null: nothing waits, the window closes. */
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

/** Codes that were not there before: each opens the window once. */
export function newCodes(
  before: readonly PendingEnrollment[],
  after: readonly PendingEnrollment[],
): string[] {
  const known = new Set(before.map(({ userCode }) => userCode));
  return after.map(({ userCode }) => userCode).filter((code) => !known.has(code));
}
