/** Pages of history as the JSON that is sent (specification/messages.md#history). */

import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import type { HistoryQuery, HistoryWindowQuery } from '#protocol/message.ts';
import { type JsonItems, jsonShortList } from '../../http/json-list.ts';
import type { JsonReply } from '../../http/json-reply.ts';
import { giveBack } from '../../runtime/give-back.ts';
import type { Members } from '../members/members.service.ts';
import { scopeKey } from '../scopes/scope-key.ts';
import { scopeOfHistory } from './message-scope.rules.ts';
import type { MessageUnits } from './messages.sqlite.ts';

/**
 * One read of the store, for which every other read waits: it takes a fraction of a millisecond
 * (docs/benchmarks.md, one member's flood).
 */
const slice = { messages: 100, bytes: 64 * 1024 };

/** The part of a reply that memory holds at a time, because it should not hold 500 long messages at once. */
const pageBytes = 256 * 1024;

const comma = Buffer.from(',');

interface Place {
  before: number;
  beforeId: string | null;
}

export interface HistoryDeps {
  units: Pick<MessageUnits, 'historyPage' | 'historyWindow'>;
  members: Pick<Members, 'find' | 'readerOf'>;
}

/** Returns the JSON of a HistoryWindow, from one read of the store. @throws BrokerError not_found, forbidden. */
export async function readHistoryWindow(
  { units, members }: HistoryDeps,
  reader: MemberName,
  query: HistoryWindowQuery,
): Promise<JsonReply> {
  const { around, after, limit } = query;
  const older = around === undefined ? 0 : Math.floor(limit / 2);
  const { bytes, hasOlder, hasNewer } = await units.historyWindow({
    reader: members.readerOf(reader),
    key: scopeKey(scopeOfHistory(query), reader),
    id: around ?? after ?? '',
    isAfter: around === undefined,
    older,
    newer: limit - older,
    bytes: slice.bytes / 2,
  });
  const items = new Uint8Array(bytes);
  if (items.length === 0 && query.with !== undefined && members.find(query.with) === undefined)
    refuse('unknown_member', { name: query.with });
  return jsonShortList(`{"hasOlder":${hasOlder},"hasNewer":${hasNewer},"messages":`, items);
}

/**
 * Returns the messages of a History as JSON. @throws BrokerError not_found, forbidden before the first page; a
 * member that leaves the conversation while later pages are read gets no more of them.
 */
export async function readHistory(
  { units, members }: HistoryDeps,
  reader: MemberName,
  query: HistoryQuery,
): Promise<JsonItems> {
  const key = scopeKey(scopeOfHistory(query), reader);
  let place: Place = { before: query.before ?? Number.MAX_SAFE_INTEGER, beforeId: query.beforeId ?? null };
  let left = query.limit;

  async function nextSlice(): Promise<Uint8Array> {
    const limit = Math.min(left, slice.messages);
    const { bytes, count, last } = await units.historyPage({
      reader: members.readerOf(reader),
      key,
      ...place,
      limit,
      bytes: slice.bytes,
    });
    left = last === null ? 0 : left - count;
    if (last !== null) place = { before: last.ts, beforeId: last.id };
    return new Uint8Array(bytes);
  }

  async function nextPage(): Promise<Uint8Array> {
    const slices: Uint8Array[] = [];
    for (let size = 0; left > 0 && size < pageBytes; ) {
      const items = await nextSlice();
      size += items.length;
      if (items.length > 0) slices.push(items);
    }
    const [only] = slices;
    if (slices.length === 1 && only !== undefined) return only;
    const page = Buffer.concat(slices.flatMap((items, at) => (at === 0 ? [items] : [comma, items])));
    for (const items of slices) giveBack(items);
    return page;
  }

  const first = await nextPage();
  if (first.length === 0 && query.with !== undefined && members.find(query.with) === undefined)
    refuse('unknown_member', { name: query.with });
  if (left === 0) return first;
  return (async function* pages() {
    yield first;
    while (left > 0) yield await nextPage();
  })();
}
