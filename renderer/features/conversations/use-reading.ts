/**
 * How far the member has read an open conversation: what was on the screen of a visible page for a moment is reported to the
 * broker.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Message } from '#protocol/message.ts';
import type { ScopeName } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { refetchUnread, useUnread } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { scopeQuery } from '../../data/thread.ts';
import { useWatching } from '../../data/watched.ts';
import { toast, toastError } from '../../ui/toast.ts';
import { covers, firstNotRead, readAfterSight, type Sight } from './reading.rules.ts';
import type { Opening } from './use-opening.ts';

const dwellMs = 400;

function useIsLooking(): boolean {
  const [isLooking, setLooking] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setLooking(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isLooking;
}

export interface ReadingOptions {
  scope: string;
  opening: Opening;
  /** Oldest first. */
  messages: readonly Message[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** Whether the conversation itself is on the screen. */
  isInSight: boolean;
  isAtEnd: boolean;
}

export interface Reading {
  /** Before this message is the line "New". */
  lineId: string | null;
  /** The unread messages behind or before the screen; null if there are none. */
  unseen: { count: number; mentions: number } | null;
  onSight: (sight: Sight) => void;
  markUnread: (message: Message) => void;
  markRead: () => void;
}

export function useReading(options: ReadingOptions): Reading {
  const { scope, opening, messages, hasOlder, hasNewer, isInSight, isAtEnd } = options;
  const { client } = useBroker();
  const cache = useQueryClient();
  const self = useSelf().member;
  const isLooking = useIsLooking();
  const { data: unread, dataUpdatedAt } = useUnread({ includesWatched: true });
  const {
    count = 0,
    mentions = 0,
    lastReadId = null,
  } = unread?.scopes.find((one) => one.scope === scope) ?? {};
  const [read, setRead] = useState(opening.read);
  /** The newest message that was seen here. */
  const [seenId, setSeenId] = useState<string | null>(null);
  const [lineId, setLineId] = useState(opening.firstId);
  /** Whether everything was read since the line is there. */
  const [isLineDone, setLineDone] = useState(opening.firstId === null);
  /** Whether the member marked messages as unread: then the screen reads nothing by itself. */
  const [isSuspended, setSuspended] = useState(false);
  /** Undefined before anything was on the screen. */
  const [isCaughtUp, setCaughtUp] = useState<boolean>();
  const sight = useRef<Sight | null>(null);
  const canRead = isLooking && isInSight && !isSuspended;
  const isWatching = canRead && isAtEnd && !hasNewer && isCaughtUp === true;
  useWatching(scope, isWatching);

  const advance = useCallback(() => {
    if (!canRead || sight.current === null) return;
    const shown = { messages, hasOlder, self };
    const next = readAfterSight(read, shown, sight.current);
    if (next !== read) {
      setRead(next);
      setSeenId(next.id);
    }
    const isDone = firstNotRead(shown, next) < 0;
    // At the end, the log follows what arrives within some frames.
    setCaughtUp((before) => isDone || (sight.current?.isAtEnd === true && before === true));
    if (isDone) setLineDone(true);
  }, [canRead, messages, hasOlder, self, read]);
  // New messages are looked at when they are on the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when reading begins again
  useEffect(advance, [canRead]);
  const onSight = useCallback(
    (now: Sight) => {
      sight.current = now;
      advance();
    },
    [advance],
  );

  // The messages that arrive while nobody watches begin under a line of their own.
  useEffect(() => {
    if (isWatching || isCaughtUp === undefined || !isLineDone) return;
    const first = messages[firstNotRead({ messages, self }, read)];
    if (first === undefined) return;
    setLineId(first.id);
    setLineDone(false);
  }, [isWatching, isCaughtUp, isLineDone, read, messages, self]);

  const report = useCallback(
    async (upTo: string) => {
      await client.call('reportRead', { body: { scope: scope as ScopeName, upTo: upTo as Message['id'] } });
      await refetchUnread(cache);
    },
    [client, cache, scope],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a report that failed is repeated with the next counts
  useEffect(() => {
    if (!canRead || count === 0 || seenId === null || seenId <= (lastReadId ?? '')) return;
    const timer = setTimeout(() => void report(seenId).catch(() => undefined), dwellMs);
    return () => clearTimeout(timer);
  }, [canRead, count, seenId, lastReadId, report, dataUpdatedAt]);

  // Read by the button, or on another device.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each position
  useEffect(() => {
    if (lastReadId === null || isSuspended || covers(read, lastReadId)) return;
    const next = { id: lastReadId, isIncluded: true };
    setRead(next);
    if (firstNotRead({ messages, self }, next) >= 0) return;
    setCaughtUp(true);
    setLineDone(true);
  }, [lastReadId, isSuspended]);

  async function markUnread({ id }: Message): Promise<void> {
    setSuspended(true);
    await client.call('markUnread', { body: { scope: scope as ScopeName, from: id } });
    setLineId(id);
    setLineDone(false);
    setRead({ id, isIncluded: false });
    setSeenId(null);
    setCaughtUp(false);
    await refetchUnread(cache);
    toast('Marked as unread', 'The conversation stays unread from this message on until you open it again.');
  }
  async function markRead(): Promise<void> {
    const { messages: newest } = await client.call('history', {
      query: { ...scopeQuery(scope), limit: '1' },
    });
    const [last] = newest;
    if (last === undefined) return;
    setSuspended(false);
    await report(last.id);
  }
  return {
    lineId,
    unseen: count > 0 && (isSuspended || isCaughtUp === false) ? { count, mentions } : null,
    onSight,
    markUnread: (message) =>
      void markUnread(message).catch((error) => {
        setSuspended(false);
        toastError(error);
      }),
    markRead: () => void markRead().catch(toastError),
  };
}
