/** Activity in short: pages from the store, and live rows on top. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ActivitySummaries, ActivitySummary } from '#protocol/activity-summary.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { apply, refetch } from '../../data/make-change.ts';
import { openSteadily } from '../../data/steady-stream.ts';
import { type ActivityPages, withRow } from './activity-pages.rules.ts';

export interface ActivityFilter {
  kind?: string | undefined;
  /** Only what failed. */
  failed?: boolean | undefined;
  objective?: string | undefined;
  /** In epoch ms, as `to`. */
  from?: number | undefined;
  to?: number | undefined;
}

const pageSize = 50;
/** How long to wait for the stream. A request that is sent after the stream is open misses no rows. */
const connectTimeoutMs = 1000;

export function fits(row: ActivitySummary, { kind, failed, objective, from, to }: ActivityFilter): boolean {
  if (kind !== undefined && row.kind !== kind) return false;
  if (failed && !row.isFailed) return false;
  if ((from !== undefined && row.ts < from) || (to !== undefined && row.ts > to)) return false;
  // Only the store knows whether the row is in a time span of the objective.
  return objective === undefined;
}

/** Null for everybody whom the reader may see. In the order of time for one member, and otherwise of arrival. */
export function useActivity(member: string | null, filter: ActivityFilter) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const listKey = keys.activity(member ?? '*');
  const queryKey = [...listKey, filter];
  const signature = JSON.stringify(queryKey);
  const isByTime = member !== null && filter.failed !== true;
  const [begun, setBegun] = useState<string | null>(null);
  const result = useInfiniteQuery({
    queryKey,
    enabled: begun === signature,
    // No live rows arrive while the screen is closed.
    gcTime: 0,
    structuralSharing: false,
    initialPageParam: isByTime ? filter.to : undefined,
    queryFn: ({ pageParam }): Promise<ActivitySummaries> => {
      const query = {
        limit: String(pageSize),
        ...(filter.kind !== undefined && { kind: filter.kind as 'llm_exchange' }),
      };
      if (!isByTime)
        return client.call('teamActivity', {
          query: {
            ...query,
            ...(member !== null && { member }),
            ...(filter.failed && { failed: 'true' as const }),
            ...(pageParam !== undefined && { before: String(pageParam) }),
          },
        });
      return client.call('activitySummaries', {
        params: { name: member },
        query: {
          ...query,
          ...(filter.objective !== undefined && { objective: filter.objective }),
          ...(filter.from !== undefined && { from: String(filter.from) }),
          ...(pageParam !== undefined && { to: String(pageParam) }),
        },
      });
    },
    getNextPageParam: ({ activity }) => {
      const oldest = activity.at(-1);
      if (activity.length < pageSize || oldest === undefined) return undefined;
      return isByTime ? oldest.ts : oldest.id;
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
      url: member === null ? '/activity/stream' : `/activity/stream?member=${encodeURIComponent(member)}`,
      events: ['summary', 'reset'],
      onState(state: string) {
        if (state === 'lost' || state === 'refused') begin();
      },
      onReady(isWhole: boolean) {
        if (!hasBegun) begin();
        else if (!isWhole) refetch(cache, key);
      },
      onEvent({ event, data }: { event: string; data: string }) {
        if (event === 'reset') refetch(cache, key.slice(0, 2));
        if (event !== 'summary') return;
        const row = JSON.parse(data) as ActivitySummary;
        if (fits(row, wanted)) apply(cache, key, (held: ActivityPages) => withRow(held, row));
      },
    };
    const close = openSteadily(transport, request, 'summary');
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
