/** A thread: its loading states, the search for a requested message, and the reading position. */
import { useQueryClient } from '@tanstack/react-query';
import { MessagesSquare } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useThread, useUnread } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { useIsInSight } from '../../ui/in-sight.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { MessageLog } from './message-log.tsx';
import { firstUnreadId } from './transcript.rules.ts';

/** Marks the visible messages as read while the page is visible. */
function useReading(scope: string, newest: Message | undefined, isInView: boolean): void {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { data: unread } = useUnread();
  const count = unread?.scopes.find((one) => one.scope === scope)?.count ?? 0;
  const [isLooking, setLooking] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setLooking(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const newestId = newest?.id;
  useEffect(() => {
    if (newestId === undefined || count === 0 || !isInView || !isLooking) return;
    const timer = setTimeout(() => {
      client.call('reportRead', { body: { scope, upTo: newestId } }).then(
        () => cache.invalidateQueries({ queryKey: keys.unread }),
        () => undefined,
      );
    }, 400);
    return () => clearTimeout(timer);
  }, [client, cache, scope, newestId, count, isInView, isLooking]);
}

/**
 * Returns the first message of other members after the position that was read when the thread was opened; the
 * line "New" stays there.
 */
function useFirstUnread(scope: string, messages: readonly Message[]): string | undefined {
  const self = useSelf().member;
  const { data: unread } = useUnread();
  const lastReadId = unread?.scopes.find((one) => one.scope === scope)?.lastReadId ?? null;
  const opened = useRef<{ scope: string; lastReadId: string | null } | null>(null);
  if (unread !== undefined && opened.current?.scope !== scope) opened.current = { scope, lastReadId };
  return firstUnreadId(messages, opened.current?.lastReadId ?? null, self);
}

export interface ThreadProps {
  scope: string;
  sought?: string | undefined;
  /** Whether the member may post here. */
  canPost: boolean;
}

export function Thread({ scope, sought, canPost }: ThreadProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useThread(scope);
  const messages = useMemo(() => (data?.pages ?? []).flatMap((page) => page.messages).reverse(), [data]);
  const firstUnread = useFirstUnread(scope, messages);
  const [isAtEnd, setAtEnd] = useState(false);
  const [end, setEnd] = useState<HTMLElement | null>(null);
  const isEndInSight = useIsInSight(end);
  useReading(scope, messages.at(-1), isAtEnd && isEndInSight);

  // Loads page after page until the message is there, because messages are never deleted.
  const oldest = messages[0]?.id;
  const isSeeking = sought !== undefined && oldest !== undefined && oldest > sought && hasNextPage;
  useEffect(() => {
    if (isSeeking && !isFetchingNextPage && error === null) void fetchNextPage({ cancelRefetch: false });
  }, [isSeeking, isFetchingNextPage, error, fetchNextPage]);

  if (error !== null && (data === undefined || isSeeking))
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isPending || isSeeking) return <ListSkeleton rows={8} />;
  if (messages.length === 0)
    return (
      <EmptyState icon={<MessagesSquare />} title="No messages yet">
        Write the first message below. A message is stored before it is shown.
      </EmptyState>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <MessageLog
          scope={scope}
          canPost={canPost}
          messages={messages}
          firstUnread={firstUnread}
          sought={sought}
          hasOlder={hasNextPage}
          isLoadingOlder={isFetchingNextPage}
          onOlder={() => void fetchNextPage({ cancelRefetch: false })}
          isAtEnd={isAtEnd}
          onAtEnd={setAtEnd}
        />
      </div>
      <div ref={setEnd} aria-hidden="true" className="h-px shrink-0" />
    </div>
  );
}
