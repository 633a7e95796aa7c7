/** The items that need the member, and the member's actions on them (specification/attention.md). */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Attention } from '#protocol/attention.ts';
import type { InboxItem } from '#protocol/inbox.ts';
import { inboxItems } from '#protocol/inbox-items.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import {
  useAttentionMarks,
  useHeldPosts,
  usePendingEnrollments,
  useRoster,
  useUnread,
} from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useNow } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast.ts';
import { usePreferences } from '../conversations/preferences.ts';

export interface AttentionState {
  /** Undefined until everything is loaded: until then, nobody can say that nothing needs the member. */
  items: readonly InboxItem[] | undefined;
  error: Error | null;
  retry: () => void;
}

export function useAttention(): AttentionState {
  const self = useSelf().member;
  const mayApprove = useMay('pendingEnrollments');
  const mayManage = useMay('releaseHeld');
  const now = useNow();
  const { muted } = usePreferences();
  const marks = useAttentionMarks();
  const unread = useUnread();
  const enrollments = usePendingEnrollments();
  const roster = useRoster(mayManage);
  const held = useHeldPosts();
  const blocked = useObjectiveList({ status: 'blocked' });
  const mine = useObjectiveList({ status: 'blocked', originator: self });
  const done = useObjectiveList({ status: 'done', originator: self });
  const items = useMemo(() => {
    const isLoaded = (!mayApprove || enrollments.data) && (!mayManage || roster.data);
    if (!isLoaded || !marks.data || !unread.data || !held.data) return undefined;
    if (!blocked.objectives || !mine.objectives || !done.objectives) return undefined;
    const blockedById = new Map([...mine.objectives, ...blocked.objectives].map((one) => [one.id, one]));
    return inboxItems(
      {
        self,
        critical: marks.data.critical,
        addressed: marks.data.addressed,
        unread: unread.data.scopes,
        lowDisks: marks.data.lowDisks ?? [],
        clock: marks.data.clock,
        damagedStores: marks.data.damagedStores ?? [],
        muted,
        presences: roster.data?.connected ?? [],
        enrollments: enrollments.data?.enrollments ?? [],
        held: held.data.held,
        blocked: [...blockedById.values()],
        done: done.objectives,
        mayManage,
        now,
      },
      marks.data.marks,
    );
  }, [
    self,
    mayApprove,
    mayManage,
    now,
    muted,
    marks.data,
    unread.data,
    enrollments.data,
    roster.data,
    held.data,
    blocked.objectives,
    mine.objectives,
    done.objectives,
  ]);
  const failed = [
    ...[marks, unread, enrollments, roster, held].map(({ error, refetch }) => ({ error, retry: refetch })),
    blocked,
    mine,
    done,
  ].filter(({ error }) => error !== null);
  return {
    items,
    error: failed[0]?.error ?? null,
    retry() {
      for (const { retry } of failed) void retry();
    },
  };
}

export interface AttentionActions {
  /** The items are dealt with: for good or, if they are put off, until an instant in epoch ms. */
  mark(keys: readonly string[], until: number | null): void;
  /** Takes that back. */
  unmark(keys: readonly string[]): void;
}

/** The screen follows at once; if the broker refuses, the change is taken back and the error is shown. */
export function useAttentionActions(): AttentionActions {
  const { client } = useBroker();
  const cache = useQueryClient();
  return useMemo(() => {
    const change = (items: readonly string[], until: number | null | undefined) =>
      cache.setQueryData<Attention>(keys.attention, (held) => {
        if (held === undefined) return held;
        const others = held.marks.filter(({ item }) => !items.includes(item));
        const added = until === undefined ? [] : items.map((item) => ({ item, at: Date.now(), until }));
        return { ...held, marks: [...others, ...added] };
      });
    let underWay = 0;
    let last = Promise.resolve();
    /** One after the other, so that the broker has the last change last. */
    function send(tell: () => Promise<unknown>): void {
      underWay += 1;
      // An answer that is under way does not know of this change.
      const cancelled = cache.cancelQueries({ queryKey: keys.attention });
      last = last
        .then(() => cancelled)
        .then(tell)
        .then(() => undefined, toastError)
        .then(() => {
          underWay -= 1;
          if (underWay === 0) void cache.invalidateQueries({ queryKey: keys.attention });
        });
    }
    return {
      mark(items, until) {
        change(items, until);
        send(() => Promise.all(items.map((item) => client.call('markAttention', { body: { item, until } }))));
      },
      unmark(items) {
        change(items, undefined);
        send(() => Promise.all(items.map((item) => client.call('unmarkAttention', { query: { item } }))));
      },
    };
  }, [client, cache]);
}
