/** A thread: where it opens, its loading states, and what of it is read. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import type { ScopeName } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useThread } from '../../data/thread.ts';
import type { ThreadPages } from '../../data/thread-pages.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { useIsInSight } from '../../ui/in-sight.ts';
import { sentenceOf } from '../../ui/sentence-of.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.ts';
import { AttachmentViewer } from './attachment-viewer.tsx';
import type { MessageChanging } from './message-changer.tsx';
import { type LogTarget, MessageLog } from './message-log.tsx';
import { ObjectiveMaker } from './objective-maker.tsx';
import { isLoaded } from './reading.rules.ts';
import { useThreadNews } from './thread-news.ts';
import { keepPlace, keptPlace, type ThreadPlace } from './thread-places.ts';
import { UnreadBar } from './unread-bar.tsx';
import type { MessageHandlers } from './use-message-actions.ts';
import { type Opening, useOpening } from './use-opening.ts';
import { useReading } from './use-reading.ts';

const MessageChanger = lazyScreen(() => import('./message-changer.tsx'), 'MessageChanger');

export interface ThreadProps {
  scope: string;
  /** The id of a message to show. */
  sought?: string | undefined;
  /** Whether the member may post here. */
  canPost: boolean;
  /** Gets whether the member may read it. */
  onReadable?: (isReadable: boolean) => void;
}

/** Its scope has to be a part of its key, or of a key around it. */
export function Thread(props: ThreadProps) {
  const opening = useOpening(props.scope);
  return opening === null ? <ListSkeleton rows={8} /> : <OpenThread {...props} opening={opening} />;
}

interface ThreadSearch {
  message?: string | undefined;
}

/** Below the bar of unread messages. */
const belowBarPx = 64;
/** More than the end of the thread may hold. */
const manyUnread = 100;

function targetOf(
  place: ThreadPlace | undefined,
  sought: string | undefined,
  opening: Opening | null,
): LogTarget | null {
  const firstUnread: LogTarget | null =
    opening === null || opening.firstId === null
      ? null
      : { kind: 'message', id: opening.firstId, align: 'start', offsetPx: belowBarPx };
  if (place?.kind === 'message') return { ...place, align: 'start' };
  if (sought !== undefined && place === undefined)
    return { kind: 'message', id: sought, align: 'center', offsetPx: 0 };
  return firstUnread ?? (opening === null && place === undefined ? null : { kind: 'end' });
}

/**
 * Returns the part of the thread that is shown: around a message, or null for its end; and where the log scrolls to. A part is
 * loaded by itself, without the messages between it and the end.
 */
function usePart(scope: string, sought: string | undefined, opening: Opening) {
  const cache = useQueryClient();
  const step = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' });
  /** As the address says it, of which the screen hears later than of the step. */
  const asked = useRouterState({ select: ({ location }) => (location.search as ThreadSearch).message });
  const isLayer = useRouterState({ select: ({ location }) => location.state.isLayer === true });
  const [shownStep, setShownStep] = useState(step);
  const [target, setTarget] = useState<LogTarget>(
    () => targetOf(keptPlace(step, scope), sought, opening) ?? { kind: 'end' },
  );
  const [around, setAround] = useState<string | null>(() => {
    if (target.kind === 'end') return null;
    const held = cache.getQueryData<ThreadPages>(keys.thread(scope));
    if (held !== undefined) return isLoaded(target.id, joined(held)) ? null : target.id;
    return target.id === opening.firstId && opening.count <= manyUnread ? null : target.id;
  });
  // A file that opens over the thread is not another place in it.
  if (step !== shownStep && !isLayer) {
    setShownStep(step);
    const next = targetOf(keptPlace(step, scope), asked, null);
    if (next !== null) setTarget(next);
  }
  return { step: shownStep, target, setTarget, around, setAround };
}

/** Returns what leads elsewhere in the thread, after which the address names no message anymore. */
function useJumps(scope: string, sought: string | undefined, setTarget: (target: LogTarget) => void) {
  const { client } = useBroker();
  const navigate = useNavigate();
  /** The mention that the member asked for last. */
  const [mention, setMention] = useState<string>();
  const go = useCallback(
    (target: LogTarget) => {
      setTarget(target);
      setMention(undefined);
      if (sought === undefined) return;
      const search = (now: ThreadSearch) => ({ ...now, message: undefined });
      void navigate({ to: '.', search, state: (before) => before, replace: true });
    },
    [setTarget, sought, navigate],
  );
  const show = (id: string) => go({ kind: 'message', id, align: 'start', offsetPx: belowBarPx });
  const marks = () => client.call('unreadMarks', { query: { scope: scope as ScopeName } });
  async function showMention(): Promise<void> {
    const { mentionIds } = await marks();
    const next = mentionIds.find((id) => id > (mention ?? '')) ?? mentionIds[0];
    if (next === undefined) return;
    show(next);
    setMention(next);
  }
  async function showFirst(): Promise<void> {
    const { firstId } = await marks();
    if (firstId !== null) show(firstId);
  }
  return {
    mention,
    showEnd: useCallback(() => go({ kind: 'end' }), [go]),
    showFirst: () => void showFirst().catch(toastError),
    showMention: () => void showMention().catch(toastError),
  };
}

/** The messages of all pages, oldest first. */
function joined({ pages }: Pick<ThreadPages, 'pages'>) {
  return {
    messages: pages.flatMap((page) => page.messages).reverse(),
    hasOlder: pages.at(-1)?.hasOlder ?? false,
    hasNewer: pages[0]?.hasNewer ?? false,
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof BrokerError && (error.status === 403 || error.status === 404);

/** The dialog that changes a message keeps its text while the thread says that it cannot be read anymore. */
function useChanging(messages: readonly Message[], isReadable: boolean) {
  const [changing, setChanging] = useState<MessageChanging | null>(null);
  const onChange: MessageHandlers['onChange'] = (kind, message) => setChanging({ kind, message });
  const changer =
    changing === null ? null : (
      <Suspense fallback={null}>
        <MessageChanger
          {...changing}
          isReadable={isReadable}
          now={messages.find(({ id }) => id === changing.message.id)}
          onClose={() => setChanging(null)}
        />
      </Suspense>
    );
  return { changer, onChange };
}

function OpenThread(props: ThreadProps & { opening: Opening }) {
  const { scope, sought, canPost, opening, onReadable } = props;
  const { step, target, setTarget, around, setAround } = usePart(scope, sought, opening);
  const { file, make } = useSearch({ strict: false });
  const thread = useThread(scope, around);
  const { data, error, isPending, refetch } = thread;
  const part = useMemo(() => joined({ pages: data?.pages ?? [] }), [data]);
  const { messages, hasNewer } = part;
  const source = make === undefined ? undefined : messages.find(({ id }) => id === make);
  const isAway =
    target.kind === 'message' && around !== target.id && data !== undefined && !isLoaded(target.id, part);
  if (isAway) setAround(target.id);
  if (target.kind === 'end' && hasNewer) setAround(null);

  /** Undefined before anything was on the screen. */
  const [isAtEnd, setAtEnd] = useState<boolean>();
  const [end, setEnd] = useState<HTMLElement | null>(null);
  const isInSight = useIsInSight(end);
  const { lineId, unseen, onSight, markUnread, markRead } = useReading({
    scope,
    opening,
    ...part,
    isInSight,
    isAtEnd: isAtEnd === true,
  });
  const { mention, showEnd, showFirst, showMention } = useJumps(scope, sought, setTarget);
  useThreadNews('sent', scope, showEnd);
  const onPlace = useCallback((place: ThreadPlace) => keepPlace(step, scope, place), [step, scope]);

  const isReadable = !isRefused(error);
  useEffect(() => onReadable?.(isReadable), [onReadable, isReadable]);
  const { changer, onChange } = useChanging(messages, isReadable);

  function content(): ReactNode {
    if (!isReadable) return <EmptyState title="You cannot read this">{sentenceOf(error)}</EmptyState>;
    if (error !== null && (data === undefined || isAway))
      return <ErrorState error={error} onRetry={() => void refetch()} />;
    if (isPending || isAway) return <ListSkeleton rows={8} />;
    if (messages.length === 0)
      return (
        <EmptyState icon={<MessagesSquare />} title="No messages yet">
          Write the first message below. A message is stored before it is shown.
        </EmptyState>
      );
    return (
      <div className="flex h-full min-h-0 flex-col">
        <div className="relative min-h-0 flex-1">
          {unseen === null ? null : (
            <UnreadBar {...unseen} onFirst={showFirst} onMention={showMention} onRead={markRead} />
          )}
          <MessageLog
            key={around ?? 'end'}
            scope={scope}
            step={step}
            canPost={canPost}
            messages={messages}
            firstUnread={lineId}
            sought={mention ?? sought}
            target={target}
            older={{
              hasMore: part.hasOlder,
              isLoading: thread.isFetchingNextPage,
              load: () => void thread.fetchNextPage({ cancelRefetch: false }),
            }}
            newer={{
              hasMore: hasNewer,
              isLoading: thread.isFetchingPreviousPage,
              load: () => void thread.fetchPreviousPage({ cancelRefetch: false }),
            }}
            isAtEnd={isAtEnd}
            onAtEnd={setAtEnd}
            onSight={onSight}
            onPlace={onPlace}
            onLatest={showEnd}
            handlers={{ onMarkUnread: markUnread, onChange }}
          />
        </div>
        {file === undefined ? null : <AttachmentViewer path={file} messages={messages} />}
        {source === undefined ? null : <ObjectiveMaker key={source.id} scope={scope} message={source} />}
        <div ref={setEnd} aria-hidden="true" className="h-px shrink-0" />
      </div>
    );
  }
  return (
    <>
      {content()}
      {changer}
    </>
  );
}
