/** The messages that were unread when a conversation was opened. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Unread } from '#protocol/receipt.ts';
import type { ScopeName } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useUnread } from '../../data/queries.ts';
import type { ReadUpTo } from './reading.rules.ts';

export interface Opening {
  /** How many messages of others were unread. */
  count: number;
  /** The first of them; null if there were none. */
  firstId: string | null;
  read: ReadUpTo;
}

const everything = (unread: Unread | undefined): ReadUpTo => ({
  id: unread?.newestId ?? '',
  isIncluded: true,
});

/** Returns null as long as it is not known. If it cannot be known, the conversation opens at its end. */
export function useOpening(scope: string): Opening | null {
  const { client } = useBroker();
  const { data: unread, isError } = useUnread();
  const [atFirst, setAtFirst] = useState<Unread | null>(null);
  if (atFirst === null && unread !== undefined) setAtFirst(unread);
  const listed = atFirst?.scopes.find((one) => one.scope === scope);
  const count = listed?.count ?? 0;
  const mayHaveMore = listed === undefined && atFirst?.more === true;
  const marks = useQuery({
    queryKey: keys.unreadMarks(scope),
    queryFn: () => client.call('unreadMarks', { query: { scope: scope as ScopeName } }),
    enabled: count > 0 || mayHaveMore,
    staleTime: 0,
    gcTime: 0,
    retry: 1,
  });
  const [opening, setOpening] = useState<Opening | null>(null);
  if (opening !== null) return opening;
  const isSettled = (atFirst !== null && !marks.isFetching) || isError;
  if (isSettled) {
    const firstId = marks.data?.firstId ?? null;
    const read = firstId === null ? everything(atFirst ?? undefined) : { id: firstId, isIncluded: false };
    setOpening({ count: firstId === null ? 0 : count, firstId, read });
  }
  return null;
}
