/** The days in UTC for which a query asks (ADR 0010). */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

const dayMs = 86_400_000;
const { daysDefault, daysMax } = limits.activity.usage;

/** Returns the start of the day in UTC, epoch ms. */
export const startOfDay = (at: number): number => at - (at % dayMs);

/**
 * Returns the first and the last day that `from` to `to` touches. `to` defaults to now, and `from` to 30
 * days.
 * @throws BrokerError bad_request for days in the wrong order, or more than 400.
 */
export function daysOf(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  now: number,
): { first: number; last: number } {
  const last = startOfDay(to ?? Math.max(now, from ?? 0));
  const first = from === undefined ? Math.max(0, last - (daysDefault - 1) * dayMs) : startOfDay(from);
  if ((from ?? 0) > (to ?? Number.POSITIVE_INFINITY)) refuse('usage_range_reversed');
  if ((last - first) / dayMs >= daysMax) refuse('usage_range_too_long', { max: daysMax });
  return { first, last };
}
