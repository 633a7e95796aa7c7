/** The items that a member has dealt with or put off, and the unread messages that ask for it (specification/attention.md). */
import type { Attention, AttentionReport, DamagedStore } from '#protocol/attention.ts';
import type { MemberName } from '#protocol/ids.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClockWatch } from '../../runtime/clock-watch.ts';
import type { StoreGrowth } from '../../runtime/store-growth.ts';
import { unlessDamagedFor } from '../../runtime/unless-damaged.ts';
import type { ReceiptsService } from '../receipts/receipts.service.ts';
import type { AttentionUnits } from './attention.sqlite.ts';

export interface AttentionService {
  /**
   * `mayManage`: whether the member is told about the disks, the stores, and the clock. Then what a damaged store does not show
   * is left out. @throws BrokerError store_damaged for others.
   */
  of(name: MemberName, mayManage: boolean): Promise<Attention>;
  mark(name: MemberName, report: AttentionReport): Promise<void>;
  unmark(name: MemberName, item: string): Promise<void>;
}

export interface AttentionDeps {
  units: AttentionUnits;
  receipts: Pick<ReceiptsService, 'unreadForAttention'>;
  growth: Pick<StoreGrowth, 'low'>;
  clockWatch: Pick<ClockWatch, 'trouble'>;
  damagedStores: () => DamagedStore[];
  clock: Clock;
}

export function createAttention(deps: AttentionDeps): AttentionService {
  const { units, receipts, growth, clockWatch, damagedStores, clock } = deps;
  return {
    async of(name, mayManage) {
      const readable = unlessDamagedFor(mayManage);
      const [marksFound, unreadFound] = await Promise.all([
        readable(units.attentionMarks({ member: name, now: clock() })),
        readable(receipts.unreadForAttention(name)),
      ]);
      const marks = marksFound ?? [];
      const unread = unreadFound ?? { critical: [], addressed: [] };
      if (!mayManage) return { marks, ...unread };
      const { low } = growth;
      const trouble = clockWatch.trouble();
      const damaged = damagedStores();
      return {
        marks,
        ...unread,
        ...(low.length > 0 && { lowDisks: [...low] }),
        ...(trouble !== null && { clock: trouble }),
        ...(damaged.length > 0 && { damagedStores: damaged }),
      };
    },
    async mark(name, { item, until }) {
      await units.markAttention({ member: name, item, at: clock(), until });
    },
    async unmark(name, item) {
      await units.unmarkAttention({ member: name, item });
    },
  };
}
