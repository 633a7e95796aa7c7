/**
 * Counts of what strangers can cause as often as they like, so that they cannot fill the audit log: one
 * record a minute for each kind, subject, and address, and a bounded number of them.
 */
import type { AuditEntry } from '#protocol/audit.ts';
import { limits } from '#protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';

export type Burst = Pick<AuditEntry, 'kind' | 'at' | 'subject' | 'address'> & { count: number };

export interface AuditBursts {
  count(kind: AuditEntry['kind'], about: Pick<AuditEntry, 'subject' | 'address'>): void;
  /** Returns what was counted in minutes that are over, oldest first, and forgets it; with `all`, everything. */
  take(all: boolean): Burst[];
}

const { burstMs, burstsPerKind } = limits.audit;

export function createAuditBursts(clock: Clock): AuditBursts {
  let burstByKey = new Map<string, Burst>();

  /** Beyond the bound, they are counted together, without subject and address. */
  function keyOf(kind: string, about: Pick<AuditEntry, 'subject' | 'address'>): string {
    const key = JSON.stringify([kind, about.subject, about.address]);
    if (burstByKey.has(key)) return key;
    const ofKind = [...burstByKey.values()].filter((burst) => burst.kind === kind).length;
    return ofKind < burstsPerKind ? key : kind;
  }

  return {
    count(kind, about) {
      const key = keyOf(kind, about);
      const burst = burstByKey.get(key);
      if (burst !== undefined) burst.count += 1;
      else {
        const { subject, address } = key === kind ? { subject: null, address: null } : about;
        burstByKey.set(key, { kind, at: clock(), subject, address, count: 1 });
      }
    },
    take(all) {
      const now = clock();
      // A clock that was set back must not keep a burst forever.
      const isOver = ({ at }: Burst) => all || at > now || now - at >= burstMs;
      const over = [...burstByKey.values()].filter(isOver);
      burstByKey = new Map([...burstByKey].filter(([, burst]) => !isOver(burst)));
      return over;
    },
  };
}
