/**
 * Credentials that expire: what they opened ends within one second
 * (specification/authentication.md#ending-access). One timer watches the nearest expiry only.
 */
import type { Clock } from './clock.ts';

const lookEveryMs = 250;

export interface Expiries {
  /**
   * Calls `onExpired` once when the time `at` (epoch ms) has come; null: never. A later call for the same id
   * replaces it.
   */
  set(id: string, at: number | null, onExpired: () => void): void;
  delete(id: string): void;
  stop(): void;
}

/**
 * Checks the clock instead of sleeping until then, so that a clock that is set, or a machine that slept, is
 * noticed.
 */
export function createExpiries(clock: Clock): Expiries {
  const dueById = new Map<string, { at: number; onExpired: () => void }>();
  /** At or before the earliest one: times are only ever postponed or added, so it stays a lower bound. */
  let nearest = Number.POSITIVE_INFINITY;

  function look(): void {
    const now = clock();
    if (now < nearest) return;
    const expired = [...dueById].filter(([, { at }]) => at <= now);
    for (const [id] of expired) dueById.delete(id);
    nearest = Number.POSITIVE_INFINITY;
    for (const { at } of dueById.values()) if (at < nearest) nearest = at;
    for (const [, { onExpired }] of expired) onExpired();
  }

  const timer = setInterval(look, lookEveryMs).unref();
  return {
    set(id, at, onExpired) {
      if (at === null) {
        dueById.delete(id);
        return;
      }
      dueById.set(id, { at, onExpired });
      if (at < nearest) nearest = at;
    },
    delete: (id) => void dueById.delete(id),
    stop: () => clearInterval(timer),
  };
}
