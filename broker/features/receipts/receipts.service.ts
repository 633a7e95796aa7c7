/** Read positions, unread counts, and receipts (specification/receipts.md). */
import type { Attention } from '#protocol/attention.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { DetailedRefusal } from '#protocol/model-refusal.ts';
import type {
  EvidenceReport,
  ReadReport,
  Receipt,
  ReceiptState,
  Receipts,
  Unread,
  UnreadMarks,
  UnreadReport,
  Waiting,
} from '#protocol/receipt.ts';
import type { ScopeName } from '#protocol/scope.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Members } from '../members/members.service.ts';
import { keyOfScopeName } from '../scopes/scope-key.ts';
import type { Indexer } from '../search/indexer.service.ts';
import type { Delivered } from './delivered.service.ts';
import { refuseFuture, withRefusal } from './receipts.rules.ts';
import type { ReceiptNews, ReceiptUnits } from './receipts.sqlite.ts';
import type { UnreadUnits } from './unread.sqlite.ts';
import { readUnread } from './unread.ts';
import type { WaitingUnits } from './waiting.sqlite.ts';

export type { ReceiptNews } from './receipts.sqlite.ts';

export interface ReceiptNotice {
  messageId: string;
  member: string;
  state: ReceiptState;
  at: number;
}

export interface ReceiptsService {
  unread(reader: MemberName): Promise<Unread>;
  /** Returns where the unread messages of a scope are. @throws BrokerError not_found, forbidden. */
  unreadMarks(reader: MemberName, scope: ScopeName): Promise<UnreadMarks>;
  /** Returns the unread messages that ask for the reader's attention (specification/attention.md#messages). */
  unreadForAttention(reader: MemberName): Promise<Pick<Attention, 'critical' | 'addressed'>>;
  /** Returns what the reader's runner has yet to bring to its model. */
  waiting(reader: MemberName): Promise<Waiting>;
  /** @throws BrokerError not_found, bad_request. */
  reportRead(reader: MemberName, report: ReadReport): Promise<void>;
  /** Lets the messages from one on count as unread again. @throws BrokerError not_found, bad_request. */
  markUnread(reader: MemberName, report: UnreadReport): Promise<void>;
  /** @throws BrokerError not_found, forbidden, bad_request. */
  reportEvidence(reader: MemberName, messageId: string, report: EvidenceReport): Promise<void>;
  /** @throws BrokerError not_found, forbidden. */
  receiptsOf(caller: MemberName, messageId: string): Promise<Receipts>;
}

export interface ReceiptsDeps {
  units: ReceiptUnits & UnreadUnits & WaitingUnits;
  members: Members;
  indexer: Indexer;
  delivered: Delivered;
  clock: Clock;
  /** Why the model of a member's agent refuses; undefined if nothing says that it does. */
  refusalOf: (member: string) => DetailedRefusal | undefined;
  /** Called after the commit, for those of the audience who are listening. */
  onReceipt: (audience: readonly string[], notice: ReceiptNotice) => void;
  /** Called after the commit, for the reader's other screens. */
  onOwnRead: (notice: ReceiptNotice) => void;
}

/** How many members one read of the store is for, because every other read waits for it: about 5 ms. */
const slice = 100;

export function createReceipts(deps: ReceiptsDeps): ReceiptsService {
  const { units, members, indexer, delivered, clock, refusalOf, onReceipt, onOwnRead } = deps;

  /**
   * Announces to the sender and to the managers who may read the message, and for a read position also to the reader's other screens, so that they show it
   * as read, too.
   */
  function tell(news: ReceiptNews | null, member: string, state: ReceiptState, at: number): void {
    if (news === null) return;
    const { messageId, audience } = news;
    onReceipt(audience, { messageId, member, state, at });
    if (state === 'read' && !audience.includes(member)) onOwnRead({ messageId, member, state, at });
  }

  return {
    // Counts include what is not indexed yet.
    unread: (name) => readUnread({ units, members }, name),
    async unreadMarks(name, scope) {
      await indexer.caughtUp();
      return units.unreadMarks({
        reader: members.readerOf(name),
        scope: keyOfScopeName(scope, name),
        mentions: limits.unread.marks,
      });
    },
    async unreadForAttention(name) {
      const reader = members.readerOf(name);
      const [critical, addressed] = await Promise.all([
        units.unreadCritical({ reader, limit: limits.attention.critical }),
        units.unreadAddressed({ reader, limit: limits.attention.addressed }),
      ]);
      return { critical, addressed };
    },
    async waiting(name) {
      await indexer.caughtUp();
      return units.waitingFor({ reader: members.readerOf(name), limit: limits.waitingMessages });
    },
    async reportRead(name, { scope, upTo }) {
      const at = clock();
      const news = await units.keepRead({
        reader: members.readerOf(name),
        scope: keyOfScopeName(scope, name),
        upTo,
        at,
        managers: members.managers(),
      });
      tell(news, name, 'read', at);
    },
    async markUnread(name, { scope, from }) {
      const at = clock();
      const news = await units.keepUnread({
        reader: members.readerOf(name),
        scope: keyOfScopeName(scope, name),
        from,
        at,
      });
      tell(news, name, 'read', at);
    },
    async reportEvidence(name, id, { state, at }) {
      refuseFuture(at, clock());
      const news = await units.keepEvidence({
        id,
        reader: members.readerOf(name),
        state,
        at,
        managers: members.managers(),
      });
      tell(news, name, state, at);
    },
    async receiptsOf(name, id) {
      await delivered.flush();
      const candidates = await units.candidatesOf({ id, caller: members.readerOf(name) });
      const among = candidates && new Set(candidates);
      // In the order of the team, and without members that have been removed.
      const names = members
        .all()
        .map((member) => member.name)
        .filter((one) => among?.has(one) ?? true);
      const receipts: Receipt[] = [];
      for (let at = 0; at < names.length; at += slice) {
        const caller = members.readerOf(name);
        receipts.push(...(await units.receiptsOf({ id, caller, members: names.slice(at, at + slice) })));
      }
      return { receipts: receipts.map((receipt) => withRefusal(receipt, refusalOf(receipt.member))) };
    },
  };
}
