/** A member's activity: pages from the store, and live rows on top. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ActivityRow } from '#protocol/activity.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { apply, refetch } from '../../data/make-change.ts';
import { openSteadily } from '../../data/steady-stream.ts';
import { type ActivityPages, withRow } from './activity-pages.rules.ts';

export interface ActivityFilter {
  kind?: string | undefined;
  objective?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

const pageSize = 50;
/** How long to wait for the stream. A request that is sent after the stream is open misses no rows. */
const connectTimeoutMs = 1000;

export function fits({ event }: ActivityRow, { kind, objective, from, to }: ActivityFilter): boolean {
  if (kind !== undefined && event.kind !== kind) return false;
  if ((from !== undefined && event.ts < from) || (to !== undefined && event.ts > to)) return false;
  // Only the store knows whether the row is in a time span of the objective.
  return objective === undefined;
}

export function useActivity(member: string, filter: ActivityFilter) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const queryKey = [...keys.activity(member), filter];
  const signature = JSON.stringify(queryKey);
  const [begun, setBegun] = useState<string | null>(null);
  const result = useInfiniteQuery({
    queryKey,
    enabled: begun === signature,
    // No live rows arrive while the screen is closed, and an exchange may have megabytes.
    gcTime: 0,
    // Exchanges may have megabytes, so they are not compared field by field.
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
  useEffect(() => {
    const key = JSON.parse(signature) as unknown[];
    const wanted = (key.at(-1) ?? {}) as ActivityFilter;
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      setBegun(signature);
    };
    const timer = setTimeout(begin, connectTimeoutMs);
    const request = {
      url: `/members/${encodeURIComponent(member)}/activity/stream`,
      events: ['activity', 'reset'],
      onState(state: string) {
        if (state === 'lost' || state === 'refused') begin();
      },
      onReady(isWhole: boolean) {
        if (!hasBegun) begin();
        else if (!isWhole) refetch(cache, key);
      },
      onEvent({ event, data }: { event: string; data: string }) {
        if (event === 'reset') refetch(cache, keys.activity(member));
        if (event !== 'activity') return;
        const row = JSON.parse(data) as ActivityRow;
        if (fits(row, wanted)) apply(cache, key, (held: ActivityPages) => withRow(held, row));
      },
    };
    const close = openSteadily(transport, request, 'activity');
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [transport, cache, member, signature]);
  // Pages overlap at a timestamp that several rows may share.
  const seen = new Set<number>();
  const rows = (result.data?.pages ?? [])
    .flatMap(({ activity }) => activity)
    .filter(({ id }) => !seen.has(id) && seen.add(id));
  return { ...result, rows };
}
