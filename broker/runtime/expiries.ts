/**
 * Credentials that expire: what they opened ends within one second
 * (specification/authentication.md#ending-access). One timer watches the nearest expiry only.
 */
import type { Clock } from './clock.ts';

const lookEveryMs = 250;
/** The machine slept, or the clock was set: nobody could postpone an expiry in the meantime. */
const standstillMs = 30_000;

/** For an expiry whose time came while the process did not run. */
export interface Respite {
  ms: number;
  /** The expiry is put off until this time (epoch ms). */
  onPutOff(at: number): void;
}

export interface Expiries {
  /**
   * Calls `onExpired` once when the time `at` (epoch ms) has come; null: never. A later call for the same id
   * replaces it. With a `respite`, the time is put off if it came during a standstill of this process.
   */
  set(id: string, at: number | null, onExpired: () => void, respite?: Respite): void;
  /** Looks at the clock now, for a caller that judges an expiry by itself. */
  look(): void;
  delete(id: string): void;
  stop(): void;
}

/**
 * Checks the clock instead of sleeping until then, so that a clock that is set, or a machine that slept, is
 * noticed.
 */
export function createExpiries(clock: Clock): Expiries {
  const dueById = new Map<string, { at: number; onExpired: () => void; respite: Respite | undefined }>();
  /** At or before the earliest one: times are only ever postponed or added, so it stays a lower bound. */
  let nearest = Number.POSITIVE_INFINITY;
  let lookedAt = clock();

  function putOffDue(now: number): void {
    for (const due of dueById.values()) {
      if (due.at > now || due.respite === undefined) continue;
      due.at = now + due.respite.ms;
      due.respite.onPutOff(due.at);
    }
  }

  function look(): void {
    const now = clock();
    const stoodStill = now - lookedAt > standstillMs;
    lookedAt = now;
    if (now < nearest) return;
    if (stoodStill) putOffDue(now);
    const expired = [...dueById].filter(([, { at }]) => at <= now);
    for (const [id] of expired) dueById.delete(id);
    nearest = Number.POSITIVE_INFINITY;
    for (const { at } of dueById.values()) if (at < nearest) nearest = at;
    for (const [, { onExpired }] of expired) onExpired();
  }

  const timer = setInterval(look, lookEveryMs).unref();
  return {
    look,
    set(id, at, onExpired, respite) {
      if (at === null) {
        dueById.delete(id);
        return;
      }
      dueById.set(id, { at, onExpired, respite });
      if (at < nearest) nearest = at;
    },
    delete: (id) => void dueById.delete(id),
    stop: () => clearInterval(timer),
  };
}
