/**
 * The broker’s answers as hooks. Live events keep them fresh (`staleTime: Infinity`), so only data without
 * events is polled (`useUsage`).
 */
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ChannelList } from '#protocol/channel.ts';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { BrokerError } from '#protocol/errors.ts';
import { channelPages, rosterPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import type { Roster } from '#protocol/presence.ts';
import type { Unread } from '#protocol/receipt.ts';
import type { SessionReply } from '#protocol/session.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { useMay } from './self.tsx';
import { useWatched, withoutCounts } from './watched.ts';

const sessionAgainMs = 3000;

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
    // A broker that starts or stops refuses for a moment; a login is asked for at once.
    refetchInterval: ({ state: { data, error } }) =>
      data === undefined && error !== null && !(error instanceof BrokerError && error.status === 401)
        ? sessionAgainMs
        : false,
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

/**
 * Returns what the member has not read. The conversation whose end is on the screen counts as read, unless `includesWatched`
 * is true.
 */
export function useUnread({ includesWatched = false } = {}) {
  const { client } = useBroker();
  const watched = useWatched();
  const exceptWatched = useCallback((unread: Unread) => withoutCounts(unread, watched), [watched]);
  return useQuery({
    queryKey: keys.unread,
    queryFn: () => client.call('unread', {}),
    ...(!includesWatched && { select: exceptWatched }),
    // The counts change with every message, and comparing a thousand scopes each time costs more than
    // rendering.
    structuralSharing: false,
  });
}

/** After the member has read something, or marked it as unread. */
export async function refetchUnread(cache: QueryClient): Promise<void> {
  void cache.invalidateQueries({ queryKey: keys.inbox });
  await cache.invalidateQueries({ queryKey: keys.unread });
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

const newestFirst = ({ enrollments }: { enrollments: readonly PendingEnrollment[] }) => ({
  enrollments: enrollments.toReversed(),
});

/** The newest first, as in the inbox. Stays pending for a member who may not read the enrollments. */
export function usePendingEnrollments() {
  const { client } = useBroker();
  const mayRead = useMay('pendingEnrollments');
  return useQuery({
    queryKey: keys.enrollments,
    queryFn: () => client.call('pendingEnrollments', {}),
    select: newestFirst,
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
 * Returns where failed logins come from. No event reports them, so they are polled while the page is visible. Undefined
 * for a member who may not know it.
 */
export function useLoginFailures() {
  const { client } = useBroker();
  const mayRead = useMay('loginFailures');
  const { data } = useQuery({
    queryKey: keys.loginFailures,
    queryFn: () => client.call('loginFailures', {}),
    enabled: mayRead,
    staleTime: knockIntervalMs,
    refetchInterval: knockIntervalMs,
    refetchOnWindowFocus: true,
  });
  return mayRead ? data : undefined;
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
