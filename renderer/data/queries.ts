/** The broker’s answers as hooks. Live events keep them fresh (`staleTime: Infinity`), so nothing polls but what no event tells of (useUsage). */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { parseScope } from '#protocol/scope.ts';
import type { SessionReply } from '#protocol/session.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { useMay } from './self.tsx';

export function useSession() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.session,
    queryFn: async ({ client: cache }) => {
      const before = cache.getQueryData<SessionReply>(keys.session);
      const session = await client.call('session', {});
      // In another tab of this browser somebody else has logged in: nothing of the one before is shown any more.
      if (before !== undefined && before.member !== session.member)
        cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
      return session;
    },
    retry: false,
  });
}

export function useBriefing() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.briefing, queryFn: () => client.call('briefing', {}) });
}

export function useRoster() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.roster, queryFn: () => client.call('roster', {}) });
}

export function useTeam() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.team, queryFn: () => client.call('team', {}) });
}

export function useChannels() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.channels, queryFn: () => client.call('channels', {}) });
}

export function useUnread() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.unread,
    queryFn: () => client.call('unread', {}),
    // Counted up with every message: comparing a thousand scopes each time costs more than drawing.
    structuralSharing: false,
  });
}

export function useObjectives() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.objectives, queryFn: () => client.call('objectives', { query: {} }) });
}

export function useObjective(id: string) {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.objective(id),
    queryFn: () => client.call('objective', { params: { id } }),
  });
}

/** Where this clock is ahead of the broker's. */
const minExpiryIntervalMs = 5000;

/** Stays pending for a member who may not read it. */
export function usePendingEnrollments() {
  const { client } = useBroker();
  const mayRead = useMay('pendingEnrollments');
  return useQuery({
    queryKey: keys.enrollments,
    queryFn: () => client.call('pendingEnrollments', {}),
    enabled: mayRead,
    // No event tells that a code has expired; the broker's clock decides.
    refetchInterval: ({ state: { data } }) => {
      const expiries = (data?.enrollments ?? []).map(({ expiresAt }) => expiresAt);
      return expiries.length > 0 && Math.max(minExpiryIntervalMs, Math.min(...expiries) - Date.now() + 500);
    },
  });
}

const dayMs = 86_400_000;
const usageIntervalMs = 60_000;

/** Tokens per member, day in UTC and model; `days` with today. No event tells of activity, so it is asked for while the page is in sight. */
export function useUsage(days: number) {
  const { client } = useBroker();
  const ofAll = useMay('activityUsage');
  return useQuery({
    queryKey: [...keys.usage(ofAll), days],
    queryFn: () => client.call('activityUsage', { query: { from: String(Date.now() - (days - 1) * dayMs) } }),
    staleTime: usageIntervalMs,
    refetchInterval: usageIntervalMs,
    refetchOnWindowFocus: true,
  });
}

export const maxHistoryMessages = 200;

function historyQuery(scope: string): Record<string, string> {
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

/** A thread's messages, newest page first; `fetchNextPage` reads older ones. */
export function useThread(scope: string) {
  const { client } = useBroker();
  return useInfiniteQuery({
    queryKey: keys.thread(scope),
    // Comparing ten thousand messages field by field at every new one costs more than drawing it.
    structuralSharing: false,
    initialPageParam: null as { before: string; beforeId: string } | null,
    queryFn: ({ pageParam }) =>
      client.call('history', {
        query: { ...historyQuery(scope), limit: String(maxHistoryMessages), ...pageParam },
      }),
    getNextPageParam: ({ messages }) => {
      const oldest = messages.at(-1);
      return messages.length < maxHistoryMessages || oldest === undefined
        ? undefined
        : { before: String(oldest.ts), beforeId: oldest.id };
    },
  });
}
