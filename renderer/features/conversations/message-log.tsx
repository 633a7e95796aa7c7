/**
 * Messages, newest at the bottom. Only visible messages are rendered, older and newer ones are loaded on scrolling,
 * and the visible ones do not move.
 */
import {
  defaultRangeExtractor,
  measureElement,
  type Range,
  useVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import { randomId } from '../../data/random-id.ts';
import { useSelf } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { createHeights } from './heights.ts';
import { MessageRow } from './message-row.tsx';
import { placeOf, type Sight } from './reading.rules.ts';
import { WithReferences } from './references.tsx';
import type { ThreadPlace } from './thread-places.ts';
import { beginsDay, continuesAfter } from './transcript.rules.ts';
import { type MessageActions, type MessageHandlers, useMessageActions } from './use-message-actions.ts';
import { useMessageKeys } from './use-message-keys.ts';

const nearEndPx = 80;
const nearEdgePx = 400;
/** So many messages within a second are a burst. */
const burstSize = 20;

/** The place that the log scrolls to, once: another object is another request. `offsetPx`: below the top, for `start`. */
export type LogTarget =
  | { kind: 'end' }
  | { kind: 'message'; id: string; align: 'start' | 'center'; offsetPx: number };

/** Messages on one side of those that are loaded. */
interface Beyond {
  hasMore: boolean;
  isLoading: boolean;
  load: () => void;
}

export interface MessageLogProps {
  scope: string;
  /** The step of the browser’s history. */
  step: string;
  canPost: boolean;
  /** Oldest first; at least one message. */
  messages: readonly Message[];
  firstUnread: string | null;
  /** The id of the message to highlight. */
  sought: string | undefined;
  target: LogTarget;
  older: Beyond;
  newer: Beyond;
  /** Undefined before anything was on the screen. */
  isAtEnd: boolean | undefined;
  /** Whether the newest message of the thread is on the screen. */
  onAtEnd: (isAtEnd: boolean) => void;
  onSight: (sight: Sight) => void;
  onPlace: (place: ThreadPlace) => void;
  onLatest: () => void;
  handlers: MessageHandlers;
}

type Log = Virtualizer<HTMLDivElement, Element>;

/** The number of attempts to find the end while the heights of messages become known. */
const maxEndings = 20;

/**
 * Scrolls once to each target. The end moves while heights are measured, so it is sought again after each look at the log until it is reached. Returns what to
 * call then, and when the person moves the log, which ends the search.
 */
function useReaching(target: LogTarget, messages: readonly Message[], log: Log) {
  const reached = useRef<LogTarget | null>(null);
  const endings = useRef(0);
  useLayoutEffect(() => {
    if (reached.current === target) return;
    reached.current = target;
    endings.current = target.kind === 'end' ? maxEndings : 0;
    if (target.kind === 'end') log.scrollToEnd();
    else log.scrollToIndex(placeOf(target.id, messages), { align: target.align });
  }, [target, messages, log]);
  return {
    leave(): void {
      endings.current = 0;
    },
    looked(isAtEnd: boolean): void {
      endings.current = isAtEnd ? 0 : Math.max(0, endings.current - 1);
      if (endings.current > 0) log.scrollToEnd();
    },
  };
}

/** Returns which messages are on the screen; null if the log has no height. */
function sightOf(log: Log, scroller: HTMLElement, list: HTMLElement, hasNewer: boolean): Sight | null {
  const { scrollTop, scrollHeight, clientHeight } = scroller;
  if (clientHeight === 0) return null;
  const from = scrollTop - list.offsetTop;
  const to = from + clientHeight;
  const top = log.getVirtualItemForOffset(Math.max(0, from));
  const last = log.getVirtualItemForOffset(Math.max(0, to));
  if (top === undefined || last === undefined) return null;
  const bottom = last.end <= to + 1 ? last.index : last.index - 1;
  return {
    top: top.index,
    bottom,
    isAtEnd: !hasNewer && scrollHeight - scrollTop - clientHeight < nearEndPx,
  };
}

/** Calls `look` in the next frame but one, when the log has followed what was appended. */
function useFrames(look: () => void): () => void {
  const frame = useRef<number | null>(null);
  const latest = useRef(look);
  useLayoutEffect(() => {
    latest.current = look;
  }, [look]);
  useEffect(
    () => () => {
      if (frame.current !== null) cancelAnimationFrame(frame.current);
      frame.current = null;
    },
    [],
  );
  return useCallback(() => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = requestAnimationFrame(() => {
        frame.current = null;
        latest.current();
      });
    });
  }, []);
}

/** A wrong guess is corrected when the message is drawn, and each correction makes the browser lay out everything again. */
function useHeights(messages: readonly Message[]) {
  const [heights] = useState(createHeights);
  return {
    estimateSize: (index: number) => heights.guess(messages, index),
    measureElement(...[element, entry, log]: Parameters<typeof measureElement<Element>>): number {
      const height = measureElement(element, entry, log);
      heights.learn(messages, log.indexFromElement(element), height);
      return height;
    },
  };
}

/** The newest messages came faster than anybody reads. */
function isBurst(messages: readonly Message[]): boolean {
  const [last, before] = [messages.at(-1), messages.at(-burstSize)];
  return last !== undefined && before !== undefined && acceptedAt(last) - acceptedAt(before) < 1000;
}

/**
 * The indexes to draw at the end of the log: those on the screen, and as many of the last ones, so that no frame is blank
 * when it scrolls to what was appended. In a burst, what would only pass by is not drawn.
 */
function withAppended(range: Range): number[] {
  const { startIndex, endIndex, count } = range;
  const onScreen = endIndex - startIndex + 2;
  const drawn = defaultRangeExtractor({ ...range, count: endIndex + 1 });
  for (let index = Math.max(endIndex + 1, count - onScreen); index < count; index++) drawn.push(index);
  return drawn;
}

/** Tells what is on the screen after each movement, and loads what is beyond it. Returns what to call on scrolling. */
function useSight(
  { messages, older, newer, onAtEnd, onSight, onPlace }: MessageLogProps,
  log: Log,
  scroller: RefObject<HTMLDivElement | null>,
  list: RefObject<HTMLDivElement | null>,
  onLooked: (isAtEnd: boolean) => void,
): () => void {
  const look = useFrames(() => {
    if (scroller.current === null || list.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller.current;
    const sight = sightOf(log, scroller.current, list.current, newer.hasMore);
    if (sight === null) return;
    const { isAtEnd } = sight;
    onAtEnd(isAtEnd);
    onSight(sight);
    onLooked(isAtEnd);
    const first = messages[sight.top];
    const start = log.measurementsCache[sight.top]?.start ?? 0;
    if (isAtEnd) onPlace({ kind: 'end' });
    else if (first !== undefined)
      // The elements above the list move it when it is scrolled to, too.
      onPlace({ kind: 'message', id: first.id, offsetPx: start - scrollTop });
    if (scrollTop < nearEdgePx && older.hasMore && !older.isLoading) older.load();
    if (scrollHeight - scrollTop - clientHeight < nearEdgePx && newer.hasMore && !newer.isLoading)
      newer.load();
  });
  // New messages and measured heights change what is on the screen, too.
  useEffect(look);
  return look;
}

/** A log that moves its rows itself. `containerRef` takes the element around them. */
function useLog(
  { messages, newer, isAtEnd, target }: MessageLogProps,
  scroller: RefObject<HTMLDivElement | null>,
) {
  /** A page of newer messages is appended without moving to its end. */
  const hadNewer = useRef(newer.hasMore);
  const log = useVirtualizer<HTMLDivElement, Element>({
    count: messages.length,
    getScrollElement: () => scroller.current,
    ...useHeights(messages),
    overscan: isAtEnd === true && isBurst(messages) ? 3 : 12,
    rangeExtractor: isAtEnd === true ? withAppended : defaultRangeExtractor,
    // The log moves its rows itself, in the frame in which it scrolls. Drawing them once more in that frame costs a fifth
    // of the frames of a burst.
    directDomUpdates: true,
    useFlushSync: false,
    getItemKey: useCallback((index: number) => messages[index]?.id ?? index, [messages]),
    // At the end, new messages keep the log at the end; elsewhere, the visible messages stay in place.
    anchorTo: 'end',
    followOnAppend: !hadNewer.current,
    scrollEndThreshold: nearEndPx,
    scrollPaddingStart: target.kind === 'message' && target.align === 'start' ? target.offsetPx : 0,
  });
  useEffect(() => {
    hadNewer.current = newer.hasMore;
  }, [newer.hasMore]);
  return log;
}

/** The messages that are drawn. */
function Rows({
  messages,
  firstUnread,
  sought,
  scope,
  log,
  actions,
}: MessageLogProps & { log: Log; actions: MessageActions }) {
  const self = useSelf().member;
  const messageById = useMemo(
    () => new Map<string, Message>(messages.map((one) => [one.id, one])),
    [messages],
  );
  return (
    <>
      {log.getVirtualItems().map((item) => {
        const message = messages[item.index];
        if (message === undefined) return null;
        return (
          <div
            key={item.key}
            ref={log.measureElement}
            data-index={item.index}
            className="absolute top-0 left-0 w-full"
          >
            <MessageRow
              message={message}
              isOwn={message.from === self}
              continues={message.id !== firstUnread && continuesAfter(messages[item.index - 1], message)}
              beginsDay={beginsDay(messages[item.index - 1], message)}
              isFirstUnread={message.id === firstUnread}
              isSought={message.id === sought}
              scope={scope}
              answered={message.inReplyTo === undefined ? undefined : messageById.get(message.inReplyTo)}
              actions={actions}
            />
          </div>
        );
      })}
    </>
  );
}

export function MessageLog(props: MessageLogProps) {
  const { scope, step, canPost, messages, target, older, newer, isAtEnd, onLatest, handlers } = props;
  const self = useSelf().member;
  const actions = useMessageActions(scope, canPost, handlers);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const log = useLog(props, scroller);
  const listRef = useCallback(
    (element: HTMLDivElement | null) => {
      list.current = element;
      log.containerRef(element);
    },
    [log],
  );
  const { leave, looked } = useReaching(target, messages, log);
  const look = useSight(props, log, scroller, list, looked);
  const onArrow = useMessageKeys({
    messages,
    actions,
    self,
    scroller,
    lastInSight() {
      if (scroller.current === null || list.current === null) return messages.length - 1;
      const sight = sightOf(log, scroller.current, list.current, newer.hasMore);
      return sight?.bottom ?? messages.length - 1;
    },
    scrollTo: (index) => log.scrollToIndex(index, { align: 'auto' }),
  });
  /** The loaded messages may end long before the thread does. */
  function onKeyDown(event: KeyboardEvent): void {
    leave();
    onArrow(event);
    const isEnd = event.key === 'End' && event.target === scroller.current;
    if (!isEnd || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onLatest();
  }
  // The router would restore a distance in pixels, which depends on what was measured.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one for each step
  const unrestored = useMemo(() => randomId(), [step]);

  return (
    <div className="relative h-full min-h-0">
      <div
        ref={scroller}
        onScroll={look}
        onKeyDown={onKeyDown}
        onWheel={leave}
        onPointerDown={leave}
        onTouchMove={leave}
        role="log"
        aria-label="Messages"
        aria-live="polite"
        data-scroll-restoration-id={unrestored}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a log scrolls, by keyboard too
        tabIndex={0}
        className="relative h-full overflow-y-auto py-2 -outline-offset-2"
      >
        {older.hasMore ? (
          <p className="py-2 text-center text-sm text-faint">
            {older.isLoading ? 'Loading older messages…' : 'Scroll up for older messages'}
          </p>
        ) : null}
        <WithReferences>
          <div ref={listRef} className="relative w-full">
            <Rows {...props} log={log} actions={actions} />
          </div>
        </WithReferences>
        {newer.isLoading ? (
          <p className="py-2 text-center text-sm text-faint">Loading newer messages…</p>
        ) : null}
      </div>
      {isAtEnd === false ? <JumpToLatest onJump={onLatest} /> : null}
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
