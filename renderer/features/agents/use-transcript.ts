/** The conversation of an agent with its model, live. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { refetch } from '../../data/make-change.ts';
import { openSteadily } from '../../data/steady-stream.ts';

/** Reads further turns at most this often, because an agent may have several exchanges per second. */
const againMs = 1000;

/** Newest page first. */
export function useTranscript(member: string) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const result = useInfiniteQuery({
    queryKey: keys.transcript(member),
    gcTime: 0,
    structuralSharing: false,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) =>
      client.call('activityTranscript', {
        params: { name: member },
        query: pageParam === undefined ? {} : { before: String(pageParam) },
      }),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        refetch(cache, keys.transcript(member));
      }, againMs);
    };
    const request = {
      url: `/activity/stream?member=${encodeURIComponent(member)}`,
      events: ['summary', 'reset'],
      onState: () => undefined,
      // Also the first time: something may have come between the first answer and the stream.
      onReady: again,
      onEvent: ({ event }: { event: string }) => {
        if (event === 'summary' || event === 'reset') again();
      },
    };
    const close = openSteadily(transport, request, 'summary');
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [transport, cache, member]);
  const seen = new Set<number>();
  const turns = (result.data?.pages ?? [])
    .flatMap((page) => page.turns)
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .reverse();
  return { ...result, turns };
}
