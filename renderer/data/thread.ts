/** The messages of a thread as a hook; live events keep them fresh. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { parseScope } from '#protocol/scope.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { newerPlace, olderPlace, type PagePlace, type ThreadPage } from './thread-pages.ts';

const maxHistoryMessages = 200;

/** Returns what a request for history says about its scope, which is in text form. */
export function scopeQuery(scope: string): Record<string, string> {
  const parsed = parseScope(scope);
  switch (parsed?.kind) {
    case 'direct':
      return { with: parsed.member };
    case 'channel':
      return { channel: parsed.channelId };
    case 'objective':
      return { objective: parsed.objectiveId };
    default:
      return {};
  }
}

async function fetchPage(client: BrokerClient, scope: string, place: PagePlace): Promise<ThreadPage> {
  const of = scopeQuery(scope);
  if (place.kind === 'around' || place.kind === 'newer') {
    const at = place.kind === 'around' ? { around: place.id } : { after: place.after };
    const limit = String(limits.history.windowMax);
    return client.call('historyWindow', { query: { ...of, ...at, limit } });
  }
  const older = place.kind === 'older' ? { before: place.before, beforeId: place.beforeId } : {};
  const limit = String(maxHistoryMessages);
  const { messages } = await client.call('history', { query: { ...of, ...older, limit } });
  return { messages, hasOlder: messages.length === maxHistoryMessages, hasNewer: false };
}

/**
 * Returns a thread’s messages: from its end, or around a message. `fetchNextPage` loads older ones, and
 * `fetchPreviousPage` newer ones.
 */
export function useThread(scope: string, around: string | null = null) {
  const { client } = useBroker();
  return useInfiniteQuery({
    queryKey: around === null ? keys.thread(scope) : keys.threadAround(scope, around),
    // Comparing ten thousand messages field by field after each new one costs more than rendering it.
    structuralSharing: false,
    initialPageParam: (around === null ? { kind: 'end' } : { kind: 'around', id: around }) as PagePlace,
    queryFn: ({ pageParam }) => fetchPage(client, scope, pageParam),
    getNextPageParam: (oldest, _pages, place) => olderPlace(oldest, place),
    getPreviousPageParam: newerPlace,
  });
}
