/** A member's activity: pages from the store, and live rows on top. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ActivityRow } from '#protocol/activity.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';

export interface ActivityFilter {
  kind?: string | undefined;
  objective?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

interface Pages {
  pages: { activity: ActivityRow[] }[];
  pageParams: unknown[];
}

const pageSize = 50;

export function fits({ event }: ActivityRow, { kind, objective, from, to }: ActivityFilter): boolean {
  if (kind !== undefined && event.kind !== kind) return false;
  if ((from !== undefined && event.ts < from) || (to !== undefined && event.ts > to)) return false;
  // Whether it lies in a span of the objective only the store can tell.
  return objective === undefined;
}

export function useActivity(member: string, filter: ActivityFilter) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const queryKey = [...keys.activity(member), filter];
  const result = useInfiniteQuery({
    queryKey,
    // Exchanges of megabytes are not compared field by field.
    structuralSharing: false,
    initialPageParam: filter.to,
    queryFn: ({ pageParam }) =>
      client.call('activityRange', {
        params: { name: member },
        query: {
          limit: String(pageSize),
          ...(filter.kind !== undefined && { kind: filter.kind as 'llm_exchange' }),
          ...(filter.objective !== undefined && { objective: filter.objective }),
          ...(filter.from !== undefined && { from: String(filter.from) }),
          ...(pageParam !== undefined && { to: String(pageParam) }),
        },
      }),
    getNextPageParam: ({ activity }) => {
      const oldest = activity.at(-1);
      return activity.length < pageSize || oldest === undefined ? undefined : oldest.event.ts;
    },
  });
  const signature = JSON.stringify(queryKey);
  useEffect(() => {
    const key = JSON.parse(signature) as unknown[];
    const wanted = (key.at(-1) ?? {}) as ActivityFilter;
    return transport.open({
      url: `/members/${encodeURIComponent(member)}/activity/stream`,
      events: ['activity', 'reset'],
      onState: () => undefined,
      onEvent({ event, data }) {
        if (event === 'reset') {
          void cache.invalidateQueries({ queryKey: keys.activity(member) });
          return;
        }
        const row = JSON.parse(data) as ActivityRow;
        if (!fits(row, wanted)) return;
        cache.setQueryData<Pages>(key, (held) => {
          const [first, ...rest] = held?.pages ?? [];
          if (held === undefined || first === undefined || first.activity.some(({ id }) => id === row.id))
            return held;
          return { ...held, pages: [{ activity: [row, ...first.activity] }, ...rest] };
        });
      },
    });
  }, [transport, cache, member, signature]);
  // Pages meet at a time that several rows may share.
  const seen = new Set<number>();
  const rows = (result.data?.pages ?? [])
    .flatMap(({ activity }) => activity)
    .filter(({ id }) => !seen.has(id) && seen.add(id));
  return { ...result, rows };
}
