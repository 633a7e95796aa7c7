/** The screens of the console, with the number of waiting items of each. */
import { Link, useRouterState } from '@tanstack/react-router';
import { Bot, Ellipsis, FileText, Inbox, MessagesSquare, Target } from 'lucide-react';
import type { ReactNode } from 'react';
import { keysOf } from '../commands/registry.ts';
import { useUnread } from '../data/queries.ts';
import { usePreferences } from '../features/conversations/preferences.ts';
import { personalCount } from '../features/conversations/unread.rules.ts';
import { useInbox } from '../features/inbox/use-inbox.ts';
import { CountBadge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

interface Place {
  id: string;
  label: string;
  to: string;
  icon: ReactNode;
}

/** The places of the daily work. */
const places: readonly Place[] = [
  { id: 'home', label: 'Inbox', to: '/app', icon: <Inbox /> },
  { id: 'conversations', label: 'Messages', to: '/app/conversations/general', icon: <MessagesSquare /> },
  { id: 'objectives', label: 'Objectives', to: '/app/objectives', icon: <Target /> },
  { id: 'agents', label: 'Agents', to: '/app/agents', icon: <Bot /> },
  { id: 'files', label: 'Files', to: '/app/files', icon: <FileText /> },
];

/** Otherwise, the router calls the link to the inbox current on every screen. */
const exactly = { exact: true };

function isAt(path: string, { id, to }: Place): boolean {
  // All activity is a tab of Agents.
  if (id === 'agents' && path.startsWith('/app/activity')) return true;
  return id === 'home'
    ? path === '/app' || path === '/app/'
    : path.startsWith(to.split('/').slice(0, 3).join('/'));
}

/** The only count in red: it has everything that waits for the member. */
function AttentionBadge() {
  const { data: items = [] } = useInbox();
  return <CountBadge count={items.length} look="urgent" name="Needs you" />;
}

function UnreadBadge() {
  const { data: unread } = useUnread();
  const { muted } = usePreferences();
  return (
    <CountBadge
      count={personalCount(unread?.scopes ?? [], muted)}
      look="personal"
      isPart={unread?.more === true}
      name="Unread direct messages and mentions"
    />
  );
}

function Badges({ id }: { id: string }) {
  switch (id) {
    case 'home':
      return <AttentionBadge />;
    case 'conversations':
      return <UnreadBadge />;
    default:
      return null;
  }
}

const barItem =
  'relative flex h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs -outline-offset-2 [&_svg]:size-5';

const inBar = places.filter(({ id }) => id !== 'files');

/** The most used screens, in reach of a thumb, and the way to all others. */
export function BottomBar({ onMore }: { onMore: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const colored = (isHere: boolean) => cx(barItem, isHere ? 'font-medium text-accent' : 'text-soft');
  return (
    <nav
      aria-label="Most used"
      className="flex shrink-0 border-t border-line bg-sunken pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {inBar.map((place) => (
        <Link
          key={place.id}
          to={place.to}
          activeOptions={exactly}
          aria-current={isAt(path, place) ? 'page' : undefined}
          className={colored(isAt(path, place))}
        >
          {place.icon}
          <span className="max-w-full truncate px-0.5">{place.label}</span>
          <span className="absolute top-1 left-[calc(50%+0.25rem)]">
            <Badges id={place.id} />
          </span>
        </Link>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={onMore}
        className={colored(!inBar.some((place) => isAt(path, place)))}
      >
        <Ellipsis />
        <span className="max-w-full truncate px-0.5">More</span>
      </button>
    </nav>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return places.map((place) => (
    <Tooltip key={place.id} text={place.label} shortcut={keysOf(place.id)}>
      <Link
        to={place.to}
        activeOptions={exactly}
        onClick={onGo}
        aria-current={isAt(path, place) ? 'page' : undefined}
        className={cx(
          'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-soft hover:bg-hover hover:text-text [&_svg]:size-4',
          isAt(path, place) && 'bg-selected font-medium text-text',
        )}
      >
        {place.icon}
        <span className="flex-1">{place.label}</span>
        <Badges id={place.id} />
      </Link>
    </Tooltip>
  ));
}

export function Navigation({ onGo }: { onGo: () => void }) {
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5 p-2">
      <Places onGo={onGo} />
    </nav>
  );
}
