/** The items that need the member now: one list that the keyboard moves through and empties. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps, useNavigate } from '@tanstack/react-router';
import {
  AtSign,
  Bot,
  Check,
  CircleCheck,
  CirclePause,
  Clock,
  Hand,
  MessageSquare,
  MonitorSmartphone,
  OctagonAlert,
  Target,
} from 'lucide-react';
import { type ReactNode, useMemo, useRef } from 'react';
import { counted } from '#protocol/counted.ts';
import type { InboxItem, InboxKind, InboxPlace } from '#protocol/inbox.ts';
import { laters } from '#protocol/laters.ts';
import { useScreenCommands } from '../../commands/screen-commands.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Keys } from '../../ui/keys.tsx';
import { Menu } from '../../ui/menu.tsx';
import { neighborOf } from '../../ui/neighbor.rules.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { clockTime, Time } from '../../ui/time.tsx';
import { toast, toastError, toastWithUndo } from '../../ui/toast.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { useAttention, useAttentionActions } from './use-attention.ts';

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

const idOfHeld = (id: string): string => `held-${id}`;

function linkTo(place: InboxPlace): Pick<LinkProps, 'to' | 'params' | 'search' | 'hash'> {
  switch (place.kind) {
    case 'conversation':
      return {
        to: '/app/conversations/$scope',
        params: { scope: place.scope },
        search: place.message === undefined ? {} : { message: place.message },
      };
    case 'objective':
      return { to: '/app/objectives/$id', params: { id: place.id } };
    case 'member':
      return { to: '/app/members/$name', params: { name: place.name } };
    case 'device':
      return { to: '/app/devices', search: { code: place.code } };
    case 'settings':
      return { to: '/app/settings' };
    case 'held':
      return { to: '/app', hash: idOfHeld(place.id) };
  }
}

const hasPrimary = ({ kind }: InboxPlace): boolean => kind === 'held' || kind === 'device';

/** The main action on a device or a held post, for managers. All other items have to be opened. */
function Primary({ place }: { place: InboxPlace }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const release = useMutation({
    mutationFn: (id: string) => client.call('releaseHeld', { params: { id } }),
    onSuccess: () => toast('The post was released'),
    onError: toastError,
    onSettled: () => cache.invalidateQueries({ queryKey: keys.held }),
  });
  if (place.kind === 'held')
    return (
      <Button size="small" data-primary isBusy={release.isPending} onClick={() => release.mutate(place.id)}>
        Release
      </Button>
    );
  if (place.kind === 'device')
    return (
      <Button
        size="small"
        data-primary
        onClick={() => void navigate({ to: '/app/devices', search: { approve: place.code } })}
      >
        Approve…
      </Button>
    );
  return null;
}

interface RowProps {
  item: InboxItem;
  onDone: () => void;
  /** Returns where the focus goes now. */
  onLater: (until: number) => HTMLElement | null;
}

function Row({ item, onDone, onLater }: RowProps) {
  const { key, kind, title, scope, detail, at, until, place } = item;
  const focusAfter = useRef<HTMLElement | null>(null);
  return (
    <li className="group flex items-center border-b border-line last:border-b-0 focus-within:bg-selected hover:bg-hover">
      <Link
        {...linkTo(place)}
        data-attention={key}
        onClick={() => {
          if (place.kind === 'held') document.getElementById(idOfHeld(place.id))?.focus();
        }}
        className="flex min-w-0 flex-1 items-start gap-3 py-2 pl-4 -outline-offset-2"
      >
        <span aria-hidden="true" className={cx('pt-0.5 [&_svg]:size-4', looks[kind].className)}>
          {looks[kind].icon}
        </span>
        <span className="min-w-0 flex-1">
          <span className="font-medium max-sm:line-clamp-2 sm:block sm:truncate" dir="auto">
            {title}
            {scope === null ? null : (
              <>
                {' '}
                <ShownScope scope={scope} />
              </>
            )}
          </span>
          {detail === '' ? null : (
            <span className="block truncate text-sm text-soft" dir="auto">
              {until === undefined ? detail : `${detail} until ${clockTime(until)}`}
            </span>
          )}
        </span>
        {at === null ? null : (
          <span className={cx('pt-0.5 text-sm text-faint', hasPrimary(place) && 'max-sm:hidden')}>
            <Time at={at} />
          </span>
        )}
      </Link>
      <span className="flex shrink-0 items-center px-2">
        <Primary place={place} />
        <IconButton label="Done" shortcut="e" onClick={onDone}>
          <Check />
        </IconButton>
        <Menu
          trigger={
            <IconButton label="Later" shortcut="s">
              <Clock />
            </IconButton>
          }
          focusAfter={() => focusAfter.current}
          items={laters.map(({ label, at: until }) => ({
            label,
            onSelect() {
              focusAfter.current = onLater(until(Date.now()));
            },
          }))}
        />
      </span>
    </li>
  );
}

const hints: readonly (readonly [string, string])[] = [
  ['j', 'next'],
  ['k', 'previous'],
  ['a', 'approve or release'],
  ['e', 'done'],
  ['s', 'later'],
  ['z', 'undo'],
];

export function AttentionList() {
  const { items, error, retry } = useAttention();
  const actions = useAttentionActions();
  /** Receives the focus when its last row is gone. */
  const list = useRef<HTMLElement>(null);
  const undoable = useRef<(readonly string[])[]>([]);
  const commands = useMemo(() => {
    const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-attention]') ?? [])];
    const focused = () => rows().find((row) => row.closest('li')?.contains(document.activeElement));
    const move = (step: 1 | -1) => () => {
      const all = rows();
      const current = focused();
      const next = current === undefined ? all[0] : all[all.indexOf(current) + step];
      next?.focus();
    };
    const press = (button: string) => () =>
      focused()?.closest('li')?.querySelector<HTMLElement>(`button${button}`)?.click();
    /** The row goes away, so the focus goes to its neighbor, or to the list. */
    function leave(key: string): HTMLElement | null {
      const neighbor = neighborOf(rows(), (row) => row.dataset.attention === key) ?? list.current;
      neighbor?.focus();
      return neighbor;
    }
    function undo(): void {
      const last = undoable.current.pop();
      if (last !== undefined) actions.unmark(last);
    }
    function mark(marked: readonly string[], until: number | null): void {
      undoable.current.push(marked);
      actions.mark(marked, until);
      const what = until === null ? 'done' : 'put off';
      toastWithUndo(marked.length === 1 ? `Marked as ${what}` : `${marked.length} marked as ${what}`, () => {
        undoable.current = undoable.current.filter((one) => one !== marked);
        actions.unmark(marked);
      });
    }
    return {
      leave,
      mark,
      keys: [
        { id: 'attention-next', title: 'Next item', keys: 'j', run: move(1) },
        { id: 'attention-previous', title: 'Previous item', keys: 'k', run: move(-1) },
        { id: 'attention-primary', title: 'Take the main action', keys: 'a', run: press('[data-primary]') },
        { id: 'attention-done', title: 'Mark as done', keys: 'e', run: press('[aria-label="Done"]') },
        { id: 'attention-later', title: 'Put off', keys: 's', run: press('[aria-label="Later"]') },
        { id: 'attention-undo', title: 'Undo', keys: 'z', run: undo },
      ],
    };
  }, [actions]);
  useScreenCommands(commands.keys);
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
              commands.mark(
                results.map(({ key }) => key),
                null,
              );
            }}
          >
            Mark {counted(results.length, 'result')} as done
          </Button>
        ) : undefined
      }
    >
      <section ref={list} tabIndex={-1} aria-label="What needs you" className="outline-none">
        {error === null ? null : <ErrorState error={error} onRetry={retry} />}
        {items === undefined && error === null ? <ListSkeleton rows={3} /> : null}
        {items?.length === 0 ? (
          <EmptyState icon={<CircleCheck />} title="Nothing needs you">
            Mentions, direct messages, objectives, devices, and agents that need you are listed here.
          </EmptyState>
        ) : null}
        {waiting.length === 0 ? null : (
          <ul
            className="max-h-[60vh] overflow-y-auto"
            onKeyDown={(event) => {
              const step = { ArrowDown: 0, ArrowUp: 1 }[event.key];
              if (step === undefined || event.target instanceof HTMLButtonElement) return;
              event.preventDefault();
              commands.keys[step]?.run();
            }}
          >
            {waiting.map((item) => (
              <Row
                key={item.key}
                item={item}
                onDone={() => {
                  commands.leave(item.key);
                  commands.mark([item.key], null);
                }}
                onLater={(until) => {
                  const focused = commands.leave(item.key);
                  commands.mark([item.key], until);
                  return focused;
                }}
              />
            ))}
          </ul>
        )}
      </section>
      {waiting.length === 0 ? null : (
        <p className="flex flex-wrap gap-x-4 border-t border-line px-4 py-1.5 text-xs text-faint max-md:hidden">
          {hints.map(([keys, what]) => (
            <span key={keys} className="inline-flex items-center gap-1">
              <Keys keys={keys} /> {what}
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}
