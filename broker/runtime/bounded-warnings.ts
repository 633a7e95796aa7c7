/** Warnings that a stranger can cause: their number per minute is bounded, so that nobody can fill the log. */
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Logs `facts` with `message`, or only counts it. */
export type BoundedWarning = (facts: Record<string, unknown>, message: string) => void;

const windowMs = 60_000;

/**
 * Logs up to `perMinute` warnings of the same message in a minute. The first one of the next minute says how
 * many were left out (`leftOut`). Messages are few and fixed; facts may be anything.
 */
export function createBoundedWarnings(log: Pick<Log, 'warn'>, clock: Clock, perMinute = 10): BoundedWarning {
  const windowByMessage = new Map<string, { startedAt: number; logged: number; leftOut: number }>();
  return (facts, message) => {
    const now = clock();
    let window = windowByMessage.get(message);
    // A clock that was set back must not silence a warning for longer than the window.
    if (window === undefined || now - window.startedAt >= windowMs || now < window.startedAt) {
      const leftOut = window?.leftOut ?? 0;
      window = { startedAt: now, logged: 1, leftOut: 0 };
      windowByMessage.set(message, window);
      log.warn(leftOut === 0 ? facts : { ...facts, leftOut }, message);
      return;
    }
    if (window.logged >= perMinute) {
      window.leftOut += 1;
      return;
    }
    window.logged += 1;
    log.warn(facts, message);
  };
}
