/**
 * Messages, newest at the bottom. Only visible messages are rendered, older ones are loaded on scrolling up,
 * and the visible ones do not move.
 */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Message } from '#protocol/message.ts';
import { useSelf } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { MessageRow } from './message-row.tsx';
import { useReplying } from './replying.ts';
import { beginsDay, continuesAfter } from './transcript.rules.ts';

const nearEndPx = 80;
const nearStartPx = 400;

export interface MessageLogProps {
  scope: string;
  canPost: boolean;
  /** Oldest first; at least one message. */
  messages: readonly Message[];
  firstUnread: string | undefined;
  /** The id of a message to scroll to the middle, once. */
  sought: string | undefined;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  onOlder: () => void;
  isAtEnd: boolean;
  onAtEnd: (isAtEnd: boolean) => void;
}

/** Scrolls once, as soon as the data is there: to the requested message, or to the end. */
function useReaching(
  sought: string | undefined,
  messages: readonly Message[],
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  const reached = useRef<string | null>(null);
  const place = sought ?? 'end';
  useLayoutEffect(() => {
    if (reached.current === place) return;
    reached.current = place;
    const at = messages.findIndex(({ id }) => id === place);
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'center' });
    else virtualizer.scrollToEnd();
  }, [place, messages, virtualizer]);
}

export function MessageLog(props: MessageLogProps) {
  const {
    scope,
    canPost,
    messages,
    firstUnread,
    sought,
    hasOlder,
    isLoadingOlder,
    onOlder,
    isAtEnd,
    onAtEnd,
  } = props;
  const self = useSelf().member;
  const [, answer] = useReplying(scope);
  const messageById = useMemo(
    () => new Map<string, Message>(messages.map((one) => [one.id, one])),
    [messages],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 56,
    overscan: 12,
    getItemKey: useCallback((index: number) => messages[index]?.id ?? index, [messages]),
    // At the end, new messages keep the log at the end; elsewhere, the visible messages stay in place.
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearEndPx,
  });

  useReaching(sought, messages, virtualizer);
  const look = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    onAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx);
    if (element.scrollTop < nearStartPx && hasOlder && !isLoadingOlder) onOlder();
  }, [onAtEnd, hasOlder, isLoadingOlder, onOlder]);
  // A log that fits on the screen needs no scrolling to be read.
  const total = virtualizer.getTotalSize();
  useEffect(() => {
    const element = scroller.current;
    if (element !== null && total <= element.clientHeight) onAtEnd(true);
  }, [total, onAtEnd]);

  return (
    <div className="relative h-full min-h-0">
      <div
        ref={scroller}
        onScroll={look}
        role="log"
        aria-label="Messages"
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a log scrolls, by keyboard too
        tabIndex={0}
        className="h-full overflow-y-auto py-2 -outline-offset-2"
      >
        {hasOlder ? (
          <p className="py-2 text-center text-sm text-faint">
            {isLoadingOlder ? 'Loading older messages…' : 'Scroll up for older messages'}
          </p>
        ) : null}
        <div className="relative w-full" style={{ height: total }}>
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
                  beginsDay={beginsDay(messages[item.index - 1], message)}
                  isFirstUnread={message.id === firstUnread}
                  isSought={message.id === sought}
                  scope={scope}
                  answered={message.inReplyTo === undefined ? undefined : messageById.get(message.inReplyTo)}
                  onAnswer={canPost ? answer : null}
                />
              </div>
            );
          })}
        </div>
      </div>
      {isAtEnd ? null : <JumpToLatest onJump={() => virtualizer.scrollToEnd()} />}
    </div>
  );
}

function JumpToLatest({ onJump }: { onJump: () => void }) {
  return (
    <Button
      look="secondary"
      size="small"
      className="absolute right-4 bottom-3 shadow-(--shadow)"
      onClick={onJump}
    >
      <ArrowDown className="size-3.5" />
      Jump to latest
    </Button>
  );
}
