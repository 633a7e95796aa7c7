/** Counts per key within a sliding window. Memory is limited by the number of keys times the limit. */
import { isIPv4, isIPv6 } from 'node:net';
import { refuse } from '#protocol/errors.ts';
import type { Clock } from '../runtime/clock.ts';

export interface RateLimit {
  /** Returns the whole seconds until the key has room again; 0 if it has. */
  wait(key: string): number;
  /**
   * Counts one, also beyond the limit, so wait for room first. The returned function takes it back: for limits that count
   * failures, so that parallel attempts cannot slip through.
   */
  count(key: string): () => void;
  /**
   * Counts one, or refuses. An attempt that is refused does not count, so Retry-After is a promise.
   * @throws BrokerError rate_limited for this reason.
   */
  admit(
    key: string,
    reason: 'too_many_enrollments' | 'too_many_lookups' | 'too_many_own_changes',
  ): () => void;
  clear(key: string): void;
}

export interface RateLimitOptions {
  max: number;
  windowMs: number;
  clock: Clock;
  /** Beyond this many keys, the one that was counted longest ago is dropped. */
  maxKeys?: number;
}

export function createRateLimit({ max, windowMs, clock, maxKeys = 10_000 }: RateLimitOptions): RateLimit {
  /** The times of the counts, oldest first; keys are in the order of their last count. */
  const timesByKey = new Map<string, number[]>();

  /** A clock that was set back must not keep a count longer than the window. */
  function recent(key: string): number[] {
    const now = clock();
    const times = timesByKey.get(key)?.filter((at) => at <= now && at > now - windowMs) ?? [];
    if (times.length === 0) timesByKey.delete(key);
    return times;
  }

  function wait(key: string): number {
    const times = recent(key);
    const oldest = times[times.length - max];
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + windowMs - clock()) / 1000));
  }

  function count(key: string): () => void {
    const at = clock();
    const times = [...recent(key), at];
    timesByKey.delete(key);
    timesByKey.set(key, times);
    if (timesByKey.size > maxKeys) {
      const [oldestKey] = timesByKey.keys();
      if (oldestKey !== undefined) timesByKey.delete(oldestKey);
    }
    return () => {
      const counted = timesByKey.get(key) ?? [];
      const index = counted.lastIndexOf(at);
      if (index < 0) return;
      if (counted.length === 1) timesByKey.delete(key);
      else timesByKey.set(key, counted.toSpliced(index, 1));
    };
  }

  return {
    wait,
    count,
    admit(key, reason) {
      const seconds = wait(key);
      if (seconds > 0) refuse(reason, { seconds }, { retryAfter: seconds });
      return count(key);
    },
    clear: (key) => void timesByKey.delete(key),
  };
}

/** Returns the first groups of an IPv6 address. */
function firstGroups(address: string, count: number): string {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/**
 * Returns what counts as one source: an IPv4 address, also if it is written as mapped IPv6, or the /64
 * network of an IPv6 address, because one machine has all of its addresses, or its /48, which is what one
 * customer of a provider has. Anything else, as a proxy may send, is used as it is, shortened.
 */
export function sourceKey(address: string, prefix: 48 | 64 = 64): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return isIPv6(plain) ? `${firstGroups(plain, prefix / 16)}::/${prefix}` : plain.slice(0, 64);
}
