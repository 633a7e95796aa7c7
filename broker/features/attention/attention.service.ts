/** The items that a member has dealt with or put off, and the unread messages that ask for it (specification/attention.md). */
import type { Attention, AttentionReport } from '#protocol/attention.ts';
import type { MemberName } from '#protocol/ids.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { StoreGrowth } from '../../runtime/store-growth.ts';
import type { ReceiptsService } from '../receipts/receipts.service.ts';
import type { AttentionUnits } from './attention.sqlite.ts';

export interface AttentionService {
  /** `mayManage`: whether the member is told about the disks. */
  of(name: MemberName, mayManage: boolean): Promise<Attention>;
  mark(name: MemberName, report: AttentionReport): Promise<void>;
  unmark(name: MemberName, item: string): Promise<void>;
}

export interface AttentionDeps {
  units: AttentionUnits;
  receipts: Pick<ReceiptsService, 'unreadForAttention'>;
  growth: Pick<StoreGrowth, 'low'>;
  clock: Clock;
}

export function createAttention({ units, receipts, growth, clock }: AttentionDeps): AttentionService {
  return {
    async of(name, mayManage) {
      const [marks, unread] = await Promise.all([
        units.attentionMarks({ member: name, now: clock() }),
        receipts.unreadForAttention(name),
      ]);
      const { low } = growth;
      return { marks, ...unread, ...(mayManage && low.length > 0 && { lowDisks: [...low] }) };
    },
    async mark(name, { item, until }) {
      await units.markAttention({ member: name, item, at: clock(), until });
    },
    async unmark(name, item) {
      await units.unmarkAttention({ member: name, item });
    },
  };
}
