/** The messages that a member has not read yet (specification/receipts.md#reading). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Unread } from '#protocol/receipt.ts';
import type { Members } from '../members/members.service.ts';
import { parseScopeKey, scopeNameOf } from '../scopes/scope-key.ts';
import type { UnreadPlace, UnreadUnits } from './unread.sqlite.ts';

export interface UnreadDeps {
  units: UnreadUnits;
  members: Pick<Members, 'readerOf'>;
}

const directFirst = (a: UnreadPlace, b: UnreadPlace): number =>
  Number(parseScopeKey(b.scope).kind === 'direct') - Number(parseScopeKey(a.scope).kind === 'direct');

/** Counts in steps, between which the store reads for others; what is accepted meanwhile is not counted. */
export async function readUnread({ units, members }: UnreadDeps, name: MemberName): Promise<Unread> {
  const { places: found, shown, upTo, newestId, hasMore } = await units.unreadPlaces(members.readerOf(name));
  let places = found;
  while (places.some(({ isCounted }) => !isCounted))
    places = await units.countUnread({ reader: members.readerOf(name), upTo, places });
  const isNew = places.filter((place) => place.isNew);
  const unread = isNew.filter(({ count }) => count > 0);
  // A member's own messages never take the place of what it has not read.
  const kept = new Set(unread.toSorted(directFirst).slice(0, limits.unread.scopes));
  const listed = [
    ...unread.filter((place) => kept.has(place)),
    ...isNew.filter(({ count }) => count === 0),
  ].slice(0, limits.unread.scopes);
  const others = new Map(places.map((place) => [place.scope, place]));
  for (const { scope } of listed) others.delete(scope);
  const scopes = [...listed, ...shown.flatMap((scope) => others.get(scope) ?? [])].map(
    ({ scope, count, mentions, lastReadId }) => ({
      scope: scopeNameOf(scope, name),
      count,
      mentions: count === 0 ? 0 : mentions,
      lastReadId,
    }),
  );
  return { scopes, newestId, ...((hasMore || unread.length > limits.unread.scopes) && { more: true }) };
}
