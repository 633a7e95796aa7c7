/** A thread, newest at the bottom: only what is in view is drawn, older pages come as one scrolls up, and nothing jumps. */
import { useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useSelf, useThread, useUnread } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { MessageRow } from './message-row.tsx';

const nearEndPx = 80;
const togetherMs = 60_000;

const continuesAfter = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.from === message.from &&
  message.ts - before.ts < togetherMs &&
  before.data.event === undefined &&
  message.title === null;

/** Says that what is in view was read, once the page is looked at. */
function useReading(scope: string, newest: Message | undefined, isAtEnd: boolean): void {
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
    if (newestId === undefined || count === 0 || !isAtEnd || !isLooking) return;
    const timer = setTimeout(() => {
      client.call('reportRead', { body: { scope, upTo: newestId } }).then(
        () => cache.invalidateQueries({ queryKey: keys.unread }),
        () => undefined,
      );
    }, 400);
    return () => clearTimeout(timer);
  }, [client, cache, scope, newestId, count, isAtEnd, isLooking]);
}

export function Thread({ scope, sought }: { scope: string; sought?: string | undefined }) {
  const self = useSelf().member;
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useThread(scope);
  const { data: unread } = useUnread();
  const messages = useMemo(() => (data?.pages ?? []).flatMap((page) => page.messages).reverse(), [data]);
  const newest = messages.at(-1);
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);

  // The line "New" stays where it was when the thread was opened.
  const lastReadId = unread?.scopes.find((one) => one.scope === scope)?.lastReadId ?? null;
  const opened = useRef<{ scope: string; lastReadId: string | null } | null>(null);
  if (unread !== undefined && opened.current?.scope !== scope) opened.current = { scope, lastReadId };
  const mark = opened.current?.lastReadId ?? null;
  const firstUnread =
    mark === null ? undefined : messages.find(({ id, from }) => id > mark && from !== self)?.id;

  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 56,
    overscan: 12,
    getItemKey: useCallback((index: number) => messages[index]?.id ?? index, [messages]),
  });

  // At the end new messages keep it at the end; above it, what is in view stays in view.
  const before = useRef<{ count: number; height: number; oldest: string | undefined }>({
    count: 0,
    height: 0,
    oldest: undefined,
  });
  const oldest = messages[0]?.id;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || messages.length === 0) return;
    const held = before.current;
    if (held.oldest !== undefined && held.oldest !== oldest && messages.length > held.count) {
      virtualizer.scrollToIndex(messages.length - held.count, { align: 'start' });
    } else if (isAtEnd && sought === undefined)
      virtualizer.scrollToIndex(messages.length - 1, { align: 'end' });
    before.current = { count: messages.length, height: element.scrollHeight, oldest };
  }, [messages.length, oldest, isAtEnd, sought, virtualizer]);

  useReading(scope, newest, isAtEnd);

  const soughtIndex = sought === undefined ? -1 : messages.findIndex(({ id }) => id === sought);
  useEffect(() => {
    if (sought === undefined) return;
    if (soughtIndex >= 0) virtualizer.scrollToIndex(soughtIndex, { align: 'center' });
    // Looked for page by page until it is there; messages are never deleted.
    else if (hasNextPage && !isFetchingNextPage && (oldest === undefined || oldest > sought))
      void fetchNextPage();
  }, [sought, soughtIndex, hasNextPage, isFetchingNextPage, oldest, fetchNextPage, virtualizer]);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx);
    if (element.scrollTop < 400 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };

  if (isPending) return <ListSkeleton rows={8} />;
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (messages.length === 0)
    return (
      <EmptyState title="Nothing here yet">
        Write the first message below. What you send is stored before it is shown.
      </EmptyState>
    );
  return (
    <div className="relative h-full min-h-0">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label="Messages"
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a log scrolls, by keyboard too
        tabIndex={0}
        className="h-full overflow-y-auto py-2"
      >
        {hasNextPage ? (
          <p className="py-2 text-center text-sm text-faint">
            {isFetchingNextPage ? 'Loading older messages…' : 'Scroll up for older messages'}
          </p>
        ) : null}
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const message = messages[item.index];
            if (message === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <MessageRow
                  message={message}
                  isOwn={message.from === self}
                  continues={continuesAfter(messages[item.index - 1], message)}
                  isFirstUnread={message.id === firstUnread}
                  isSought={message.id === sought}
                />
              </div>
            );
          })}
        </div>
      </div>
      {isAtEnd ? null : (
        <Button
          look="secondary"
          size="small"
          className="absolute right-4 bottom-3 shadow-(--shadow)"
          onClick={() => virtualizer.scrollToIndex(messages.length - 1, { align: 'end' })}
        >
          <ArrowDown className="size-3.5" />
          Jump to latest
        </Button>
      )}
    </div>
  );
}
