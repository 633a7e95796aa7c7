/** The delay before a stream connects again (specification/streams.md). Pure. */

/** With the half that is added, five seconds: a broker that is back is found soon. */
const maxBackOffMs = 3300;
/** Attempts before the delay grows: in this time, another machine takes over (docs/specification/standby.md). */
const evenAttempts = 2;
/** A proxy in between may ask for years. */
const maxAskedMs = 3_600_000;

export interface LostConnection {
  /** The delay before the first attempt that the broker asks for. */
  retryMs: number;
  /** Attempts in a row that failed, not counting this one. */
  failures: number;
  /** The delay that the refusal asked for; 0 if none. */
  retryAfterMs: number;
}

/**
 * In milliseconds: at least what the broker asks for, doubled with each failure from the third one on, and up to half as much again, so that a
 * whole team does not return at once. `random` in [0, 1).
 */
export function reconnectDelay({ retryMs, failures, retryAfterMs }: LostConnection, random: number): number {
  const backOffMs = Math.min(retryMs * 2 ** Math.max(0, failures - evenAttempts), maxBackOffMs);
  return Math.round(Math.max(backOffMs, Math.min(retryAfterMs, maxAskedMs)) * (1 + random / 2));
}
