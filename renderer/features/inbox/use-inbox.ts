/** The items that need the member, and the member's actions on them (specification/attention.md). */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { BrokerClient } from '#protocol/client.ts';
import type { Inbox, InboxItem } from '#protocol/inbox.ts';
import { byUrgency } from '#protocol/inbox-kinds.ts';
import { limits } from '#protocol/limits.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { Unreachable } from '../../data/transport.ts';
import { useWatched } from '../../data/watched.ts';
import { toastError, toastWithUndo } from '../../ui/toast.ts';
import { usePreferences } from '../conversations/preferences.ts';
import { useDropping } from '../holds/dropping.ts';
import { againMs, untilAgain } from './again.rules.ts';
import { mutedNames } from './muted-names.rules.ts';

/** Leaves out the conversation whose end is on the screen, because what arrives there is read at once, and dropped posts. */
const isShown = ({ place }: InboxItem, watched: string | null, dropping: ReadonlyMap<string, unknown>) =>
  place.kind === 'conversation' ? place.scope !== watched : place.kind !== 'held' || !dropping.has(place.id);

export function useInbox() {
  const { client } = useBroker();
  const { muted } = usePreferences();
  const watched = useWatched();
  const dropping = useDropping();
  const names = mutedNames(muted, limits.inbox.muted);
  return useQuery({
    queryKey: [...keys.inbox, names],
    queryFn: () => client.call('inbox', { query: names === '' ? {} : { muted: names } }),
    select: useCallback(
      ({ items }: Inbox) => items.filter((item) => isShown(item, watched, dropping)),
      [watched, dropping],
    ),
    refetchInterval: ({ state: { data } }) => (data === undefined ? againMs : untilAgain(data, Date.now())),
    refetchOnWindowFocus: 'always',
  });
}

export interface InboxActions {
  /**
   * The items are dealt with: for good or, if they are put off, until an instant in epoch ms. A notice says so and offers to
   * take it back.
   */
  mark(items: readonly InboxItem[], until: number | null): void;
  /** Takes the last mark back. */
  undo(): void;
}

const setItems = (cache: QueryClient, change: (items: readonly InboxItem[]) => InboxItem[]): void => {
  cache.setQueriesData<Inbox>({ queryKey: keys.inbox }, (held) => held && { items: change(held.items) });
};

/** One for the page, so that the last mark is the last of all screens. */
const actionsByCache = new WeakMap<QueryClient, InboxActions>();

/** The screen follows at once; if the broker refuses, the change is taken back and the error is shown. */
export function useInboxActions(): InboxActions {
  const { client } = useBroker();
  const cache = useQueryClient();
  return useMemo(() => {
    const made = actionsByCache.get(cache) ?? createActions(client, cache);
    actionsByCache.set(cache, made);
    return made;
  }, [client, cache]);
}

/** Requests also fail because the page is going away, which the page learns after it. */
const goingMs = 1000;

/** An instant in epoch ms until which an item is put off, null for one that is dealt with for good; undefined takes the mark back. */
type Mark = { until: number | null } | undefined;

function createActions(client: BrokerClient, cache: QueryClient): InboxActions {
  /** By item, what the broker has not confirmed. */
  const untold = new Map<string, { mark: Mark }>();
  let last = Promise.resolve();
  let undoable: (readonly InboxItem[])[] = [];
  const tell = (item: string, mark: Mark): Promise<unknown> =>
    mark === undefined
      ? client.call('unmarkAttention', { query: { item } })
      : client.call('markAttention', { body: { item, ...mark } });
  async function fail(error: unknown): Promise<void> {
    if (error instanceof Unreachable) await new Promise((resolve) => setTimeout(resolve, goingMs));
    toastError(error);
  }
  /** One after the other, so that the broker has the last change last. */
  function send(items: readonly InboxItem[], mark: Mark): void {
    const change = { mark };
    for (const { key } of items) untold.set(key, change);
    // An answer that is under way does not know of this change.
    const cancelled = cache.cancelQueries({ queryKey: keys.inbox });
    last = last
      .then(() => cancelled)
      .then(() => Promise.all(items.map(({ key }) => tell(key, mark))))
      .then(() => undefined, fail)
      .then(() => {
        for (const { key } of items) if (untold.get(key) === change) untold.delete(key);
        if (untold.size === 0) void cache.invalidateQueries({ queryKey: keys.inbox });
      });
  }
  // Nothing that waits for an earlier change is lost with the page. A change that is told twice changes nothing.
  addEventListener('pagehide', () => {
    for (const [item, { mark }] of untold) tell(item, mark).catch(() => undefined);
  });
  const without = (items: readonly InboxItem[], gone: readonly InboxItem[]) =>
    items.filter(({ key }) => !gone.some((one) => one.key === key));
  function unmark(items: readonly InboxItem[]): void {
    undoable = undoable.filter((one) => one !== items);
    setItems(cache, (held) => [...without(held, items), ...items].sort(byUrgency));
    send(items, undefined);
  }
  return {
    mark(items, until) {
      undoable.push(items);
      setItems(cache, (held) => without(held, items));
      send(items, { until });
      const what = until === null ? 'Cleared' : 'Put off';
      const sentence = items.length === 1 ? what : `${what}: ${items.length}`;
      toastWithUndo(sentence, () => unmark(items));
    },
    undo() {
      const items = undoable.at(-1);
      if (items !== undefined) unmark(items);
    },
  };
}
