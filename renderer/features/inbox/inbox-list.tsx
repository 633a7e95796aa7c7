/** The items that need the member now: one list that the keyboard moves through and empties. */
import { type HistoryState, Link, useNavigate } from '@tanstack/react-router';
import {
  AtSign,
  Bot,
  CircleCheck,
  CirclePause,
  Clock,
  Hand,
  MessageSquare,
  MonitorSmartphone,
  OctagonAlert,
  Target,
} from 'lucide-react';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { counted } from '#protocol/counted.ts';
import type { InboxItem, InboxKind } from '#protocol/inbox.ts';
import { latersOf } from '#protocol/laters.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useFocusBack } from '../../ui/focus-back.ts';
import { Keys } from '../../ui/keys.tsx';
import { openingLayer } from '../../ui/layers.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { clockTime, Time } from '../../ui/time.tsx';
import { toast, toastError } from '../../ui/toast.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { useReleasePost } from '../holds/use-release-post.ts';
import { useInbox } from './use-inbox.ts';
import { named, rowsIn, useListKeys } from './use-list-keys.ts';

const looks: Record<InboxKind, { icon: ReactNode; className: string }> = {
  critical: { icon: <OctagonAlert />, className: 'text-critical' },
  agent: { icon: <Bot />, className: 'text-critical' },
  device: { icon: <MonitorSmartphone />, className: 'text-caution' },
  held: { icon: <Hand />, className: 'text-caution' },
  mention: { icon: <AtSign />, className: 'text-accent' },
  direct: { icon: <MessageSquare />, className: 'text-accent' },
  blocked: { icon: <CirclePause />, className: 'text-caution' },
  result: { icon: <Target />, className: 'text-positive' },
};

/** An item that opens in place of another one is not a step of its own. */
const stepFrom = (open: string | undefined) =>
  open === undefined ? openingLayer : { replace: true, state: (before: HistoryState) => before };
type Step = ReturnType<typeof stepFrom>;

/** The main action on an item of each kind. The dots say that it opens first. */
const verbs: Record<InboxKind, string> = {
  critical: 'Read…',
  agent: 'Check…',
  device: 'Approve…',
  held: 'Release',
  mention: 'Answer…',
  direct: 'Answer…',
  blocked: 'Answer…',
  result: 'Review…',
};

function Primary({
  item: { key, kind, place },
  step,
  isSettled,
}: Pick<RowProps, 'item' | 'step' | 'isSettled'>) {
  const navigate = useNavigate();
  const release = useReleasePost();
  const isOpening = kind !== 'held' && kind !== 'device';
  function act(): void {
    if (place.kind !== 'held') void navigate({ to: '/app', search: { item: key }, ...step });
    else if (isSettled()) release.mutate(place.id, { onError: toastError });
    else toast('Nothing was released', 'The list had just changed. Press again.');
  }
  return (
    <Button
      size="small"
      data-primary
      data-opens={isOpening || undefined}
      isBusy={release.isPending}
      onClick={act}
    >
      {verbs[kind]}
    </Button>
  );
}

/** The code of a device stays in one line. */
function Detail({ item: { detail, place } }: { item: InboxItem }): ReactNode {
  if (place.kind !== 'device') return detail;
  const [before, after] = detail.split(place.code);
  return (
    <>
      {before}
      <span className="whitespace-nowrap">{place.code}</span>
      {after}
    </>
  );
}

const onFocused = 'lg:hidden lg:bg-inherit lg:group-focus-within:flex';
/** Over the end of the row that has the pointer, so that no row moves away from it. The item that is open has the same actions. */
const onPointed =
  'lg:group-hover:absolute lg:group-hover:inset-y-0 lg:group-hover:right-0 lg:group-hover:flex';

interface RowProps {
  item: InboxItem;
  isOpen: boolean;
  step: Step;
  /** Another item is open beside the list. */
  isNarrow: boolean;
  /** The row has been in its place for long enough that somebody has seen it there. */
  isSettled: () => boolean;
  onClear: () => void;
  /** Returns where the focus goes now. */
  onLater: (until: number) => HTMLElement | null;
}

function Row({ item, isOpen, step, isNarrow, isSettled, onClear, onLater }: RowProps) {
  const { key, kind, title, scope, detail, at, until } = item;
  const focusAfter = useRef<HTMLElement | null>(null);
  const laters = latersOf(item, Date.now());
  return (
    <li
      data-press
      className={cx(
        'group relative flex items-center border-b max-sm:items-start border-line focus-within:bg-selected sm:col-span-2',
        !isNarrow && 'sm:grid sm:grid-cols-subgrid',
        isOpen ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <Link
        to="/app"
        search={{ item: key }}
        {...step}
        data-row={key}
        className="flex min-w-0 flex-1 items-start gap-3 py-2 pr-2 pl-4 -outline-offset-2"
      >
        <span aria-hidden="true" className={cx('pt-0.5 [&_svg]:size-4', looks[kind].className)}>
          {looks[kind].icon}
        </span>
        <span className="min-w-0 flex-1">
          <span
            className={cx('font-medium wrap-anywhere', isNarrow ? 'line-clamp-2' : 'block sm:truncate')}
            dir="auto"
            title={title}
          >
            {title}
            {scope === null ? null : (
              <>
                {' '}
                <ShownScope scope={scope} />
              </>
            )}
          </span>
          {detail === '' ? null : (
            <span
              className={cx(
                'line-clamp-2 text-sm wrap-anywhere text-soft',
                !isNarrow && 'sm:block sm:truncate',
              )}
              dir="auto"
              title={detail}
            >
              <Detail item={item} />
              {until === undefined ? null : ` until ${clockTime(until)}`}
            </span>
          )}
        </span>
        {at === null ? null : (
          <span
            className={cx(
              'pt-0.5 text-sm text-faint max-sm:hidden',
              isNarrow && 'lg:group-focus-within:not-group-hover:hidden',
            )}
          >
            <Time at={at} />
          </span>
        )}
      </Link>
      <span
        data-actions
        className={cx(
          'flex shrink-0 items-center justify-end px-2 max-sm:max-w-28 max-sm:flex-wrap max-sm:gap-y-3 max-sm:[&_[data-primary]]:mr-2 max-sm:py-2',
          isNarrow && onFocused,
          isNarrow && !isOpen && onPointed,
        )}
      >
        <Primary item={item} step={step} isSettled={isSettled} />
        <IconButton
          data-clear
          label="Clear from inbox"
          shortcut="e"
          className="w-auto px-1.5 text-sm font-medium max-sm:px-2"
          onClick={onClear}
        >
          Clear
        </IconButton>
        {laters.length === 0 ? null : (
          <Menu
            trigger={
              <IconButton label="Later" shortcut="s">
                <Clock />
              </IconButton>
            }
            focusAfter={() => focusAfter.current}
            items={laters.map(({ label, at: later }) => ({
              label,
              onSelect() {
                focusAfter.current = onLater(later(Date.now()));
              },
            }))}
          />
        )}
      </span>
    </li>
  );
}

/** Somebody sees a change of the list after so long, and no sooner. */
const settleMs = 700;

/** Returns whether an item has been in its place for a while, so that a key or a click that was meant for another one does nothing. */
function useSettled(items: readonly InboxItem[] | undefined): (key: string) => boolean {
  const places = useRef<{ keys: readonly string[]; since: Map<string, number> }>(undefined);
  useLayoutEffect(() => {
    if (items === undefined) return;
    const shown = items.map(({ key }) => key);
    const { keys: before = shown, since = new Map<string, number>() } = places.current ?? {};
    const now = performance.now();
    for (const [at, key] of shown.entries()) if (before[at] !== key) since.set(key, now);
    for (const key of since.keys()) if (!shown.includes(key)) since.delete(key);
    places.current = { keys: shown, since };
  }, [items]);
  return (key) =>
    performance.now() - (places.current?.since.get(key) ?? Number.NEGATIVE_INFINITY) >= settleMs;
}

/** So many rows are drawn at first, and with each request for more. */
const pieceLength = 100;

/** Returns how many rows are drawn, and what draws more of them; then the first new one gets the focus. */
function usePieces(list: RefObject<HTMLElement | null>) {
  const [most, setMost] = useState(pieceLength);
  const isAsked = useRef(false);
  useLayoutEffect(() => {
    if (isAsked.current) rowsIn(list.current)[most - pieceLength]?.focus();
    isAsked.current = false;
  }, [list, most]);
  function drawMore(): void {
    isAsked.current = true;
    setMost(most + pieceLength);
  }
  return { most, drawMore };
}

interface InboxListProps {
  /** The key of the item that is open. */
  open: string | undefined;
  onClose: () => void;
}

export function InboxList({ open, onClose }: InboxListProps) {
  const { data: items, error, refetch } = useInbox();
  /** Receives the focus when its last row is gone. */
  const list = useRef<HTMLElement>(null);
  const { leave, mark, onKeyDown } = useListKeys(list);
  useFocusBack(list, open);
  const isSettled = useSettled(items);
  const { most, drawMore } = usePieces(list);
  const waiting = items ?? [];
  const results = waiting.filter(({ kind }) => kind === 'result');
  return (
    <Section
      title="Needs you"
      actions={
        results.length > 1 ? (
          <Button
            size="small"
            look="quiet"
            onClick={() => {
              list.current?.focus();
              mark(results, null);
            }}
          >
            Clear {counted(results.length, 'result')}
          </Button>
        ) : undefined
      }
    >
      <section ref={list} tabIndex={-1} aria-label="What needs you" className="outline-none">
        {error === null ? null : <ErrorState error={error} onRetry={() => void refetch()} />}
        {items === undefined && error === null ? <ListSkeleton rows={3} /> : null}
        {items?.length === 0 && error === null ? (
          <EmptyState icon={<CircleCheck />} title="Nothing needs you">
            Mentions, direct messages, objectives, devices, and agents that need you are listed here.
          </EmptyState>
        ) : null}
        {waiting.length === 0 ? null : (
          <ul onKeyDown={onKeyDown} className="sm:grid sm:grid-cols-[minmax(0,1fr)_auto]">
            {waiting.slice(0, most).map((item) => (
              <Row
                key={item.key}
                item={item}
                isOpen={item.key === open}
                step={stepFrom(open)}
                isNarrow={open !== undefined}
                isSettled={() => isSettled(item.key)}
                onClear={() => {
                  leave(item.key);
                  mark([item], null);
                  if (item.key === open) onClose();
                }}
                onLater={(until) => {
                  const focused = leave(item.key);
                  mark([item], until);
                  if (item.key === open) onClose();
                  return focused;
                }}
              />
            ))}
          </ul>
        )}
        {waiting.length <= most ? null : (
          <div data-more>
            <LoadMore isLoading={false} onMore={drawMore}>
              The first {most} of {counted(waiting.length, 'item')} are shown.
            </LoadMore>
          </div>
        )}
      </section>
      {waiting.length === 0 ? null : (
        <p className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-1.5 text-xs text-faint max-md:hidden">
          {Object.values(named).map(({ keys, title }) => (
            <span key={keys} className="inline-flex items-center gap-1">
              <Keys keys={keys} /> {title.toLowerCase()}
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}
