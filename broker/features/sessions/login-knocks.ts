/**
 * Reports who fails to log in: to managers, and to the log, which gets at most one line a minute about it
 * (specification/authentication.md#login-limits).
 */
import { limits } from '#protocol/limits.ts';
import type { LoginFailureReport } from '#protocol/session.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';

export interface LoginKnocks {
  /** A login from this source failed or was refused. */
  note(source: string): void;
  /** Returns the sources of the last 15 minutes, most failures first. */
  report(): LoginFailureReport;
  /** Logs what was not logged yet. Called from time to time. */
  flush(): void;
}

const { windowMs, sources: maxSources, shown, logEveryMs } = limits.loginKnocks;
const bucketMs = 60_000;

/** Counts by the minute, so that a source costs the same however often it knocks. */
class Counts {
  readonly #countByMinute = new Map<number, number>();
  lastAt = 0;

  add(now: number): void {
    const minute = Math.floor(now / bucketMs);
    this.#countByMinute.set(minute, (this.#countByMinute.get(minute) ?? 0) + 1);
    this.lastAt = now;
  }

  /** A clock that was set back must not keep a count longer than the window. */
  recent(now: number): number {
    let sum = 0;
    for (const [minute, count] of this.#countByMinute) {
      const at = minute * bucketMs;
      if (at > now || at <= now - windowMs) this.#countByMinute.delete(minute);
      else sum += count;
    }
    return sum;
  }
}

export function createLoginKnocks(clock: Clock, log: Log): LoginKnocks {
  const countsBySource = new Map<string, Counts>();
  const all = new Counts();
  let unlogged = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function ranked(): { address: string; count: number; lastAt: number }[] {
    const now = clock();
    const entries = [];
    for (const [address, counts] of countsBySource) {
      const count = counts.recent(now);
      if (count === 0) countsBySource.delete(address);
      else entries.push({ address, count, lastAt: counts.lastAt });
    }
    return entries.sort((a, b) => b.count - a.count || b.lastAt - a.lastAt);
  }

  const report = (): LoginFailureReport => ({
    windowMs,
    total: all.recent(clock()),
    sources: ranked().slice(0, shown),
  });

  function flush(): void {
    const now = clock();
    if (unlogged === 0 || (now >= loggedAt && now - loggedAt < logEveryMs)) return;
    const { total, sources } = report();
    log.warn({ failures: unlogged, last15Minutes: total, sources }, 'logins failed');
    unlogged = 0;
    loggedAt = now;
  }

  return {
    note(source) {
      const now = clock();
      all.add(now);
      const counts = countsBySource.get(source) ?? new Counts();
      counts.add(now);
      // The source that knocked least makes room, so that a flood of new addresses hides no persistent one.
      if (!countsBySource.has(source) && countsBySource.size >= maxSources) {
        const least = ranked().at(-1);
        if (least !== undefined && countsBySource.size >= maxSources) countsBySource.delete(least.address);
      }
      countsBySource.set(source, counts);
      unlogged += 1;
      flush();
    },
    report,
    flush,
  };
}
