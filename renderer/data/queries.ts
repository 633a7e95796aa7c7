/**
 * The broker’s answers as hooks. Live events keep them fresh (`staleTime: Infinity`), so only data without
 * events is polled (`useUsage`).
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ChannelList } from '#protocol/channel.ts';
import { channelPages, rosterPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import type { Roster } from '#protocol/presence.ts';
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
      // Another member has logged in in another tab of this browser, so everything of the previous member is
      // removed.
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

/** By name. */
export function useRoster() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.roster,
    queryFn: async (): Promise<Roster> => {
      const entries = await allOf(rosterPages(client));
      return {
        teammates: entries.map(({ teammate }) => teammate),
        connected: entries.flatMap(({ presence }) => presence ?? []),
      };
    },
  });
}

export function useTeam() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.team, queryFn: () => client.call('team', {}) });
}

export function useChannels() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.channels,
    queryFn: async (): Promise<ChannelList> => ({ channels: await allOf(channelPages(client)) }),
  });
}

export function useUnread() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.unread,
    queryFn: () => client.call('unread', {}),
    // The counts change with every message, and comparing a thousand scopes each time costs more than
    // rendering.
    structuralSharing: false,
  });
}

export function useHeldPosts() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.held, queryFn: () => client.call('heldPosts', {}) });
}

export function useObjective(id: string) {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.objective(id),
    queryFn: () => client.call('objective', { params: { id } }),
  });
}

/** A lower bound, in case this clock is ahead of the broker's. */
const minExpiryIntervalMs = 5000;

/** Stays pending for a member who may not read the enrollments. */
export function usePendingEnrollments() {
  const { client } = useBroker();
  const mayRead = useMay('pendingEnrollments');
  return useQuery({
    queryKey: keys.enrollments,
    queryFn: () => client.call('pendingEnrollments', {}),
    enabled: mayRead,
    // No event reports that a code has expired; the broker's clock decides.
    refetchInterval: ({ state: { data } }) => {
      const expiries = (data?.enrollments ?? []).map(({ expiresAt }) => expiresAt);
      return expiries.length > 0 && Math.max(minExpiryIntervalMs, Math.min(...expiries) - Date.now() + 500);
    },
  });
}

const knockIntervalMs = 60_000;

/**
 * Returns where failed logins come from. No event reports them, so they are polled while the page is visible. Stays
 * pending for a member who may not know it.
 */
export function useLoginFailures() {
  const { client } = useBroker();
  const mayRead = useMay('loginFailures');
  return useQuery({
    queryKey: keys.loginFailures,
    queryFn: () => client.call('loginFailures', {}),
    enabled: mayRead,
    staleTime: knockIntervalMs,
    refetchInterval: knockIntervalMs,
    refetchOnWindowFocus: true,
  });
}

const dayMs = 86_400_000;
const usageIntervalMs = 60_000;

/**
 * Returns the tokens per member, UTC day, and model for the last `days` days, including today. There are no
 * events for activity, so it is polled while the page is visible.
 */
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

/** Returns a thread's messages, newest page first; `fetchNextPage` loads older ones. */
export function useThread(scope: string) {
  const { client } = useBroker();
  return useInfiniteQuery({
    queryKey: keys.thread(scope),
    // Comparing ten thousand messages field by field after each new one costs more than rendering it.
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
