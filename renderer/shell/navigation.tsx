/** The screens of the console, with the number of waiting items of each. */
import { Link, useRouterState } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  FileText,
  Home,
  MessagesSquare,
  MonitorSmartphone,
  ScrollText,
  Settings,
  Target,
  Users,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { keysOf } from '../commands/registry.ts';
import { usePendingEnrollments, useUnread } from '../data/queries.ts';
import { useMay } from '../data/self.tsx';
import { useAttention } from '../features/attention/use-attention.ts';
import { usePreferences } from '../features/conversations/preferences.ts';
import { personalCount } from '../features/conversations/unread.rules.ts';
import { CountBadge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

interface Place {
  id: string;
  label: string;
  /** In the bar at the bottom, where the label has no room. */
  short?: string;
  to: string;
  icon: ReactNode;
}

const places: readonly Place[] = [
  { id: 'home', label: 'Home', to: '/app', icon: <Home /> },
  {
    id: 'conversations',
    label: 'Conversations',
    short: 'Messages',
    to: '/app/conversations/general',
    icon: <MessagesSquare />,
  },
  { id: 'objectives', label: 'Objectives', to: '/app/objectives', icon: <Target /> },
  { id: 'members', label: 'Members', to: '/app/members', icon: <Users /> },
  { id: 'devices', label: 'Devices', to: '/app/devices', icon: <MonitorSmartphone /> },
  { id: 'files', label: 'Files', to: '/app/files', icon: <FileText /> },
  { id: 'activity', label: 'Activity', to: '/app/activity', icon: <Activity /> },
  { id: 'agents', label: 'Agents', to: '/app/agents', icon: <Bot /> },
  { id: 'audit', label: 'Audit log', to: '/app/audit', icon: <ScrollText /> },
  { id: 'settings', label: 'Settings', to: '/app/settings', icon: <Settings /> },
];

function isAt(path: string, { id, to }: Place): boolean {
  return id === 'home'
    ? path === '/app' || path === '/app/'
    : path.startsWith(to.split('/').slice(0, 3).join('/'));
}

function AttentionBadge() {
  const { items } = useAttention();
  return <CountBadge count={items?.length ?? 0} name="Needs you" />;
}

function UnreadBadge() {
  const { data: unread } = useUnread();
  const { muted } = usePreferences();
  return (
    <CountBadge
      count={personalCount(unread?.scopes ?? [], muted)}
      isMention
      isPart={unread?.more === true}
      name="Unread direct messages and mentions"
    />
  );
}

function DevicesBadge() {
  const { data: pending } = usePendingEnrollments();
  return (
    <CountBadge count={pending?.enrollments.length ?? 0} isMention name="Devices waiting for approval" />
  );
}

function Badges({ id }: { id: string }) {
  switch (id) {
    case 'home':
      return <AttentionBadge />;
    case 'conversations':
      return <UnreadBadge />;
    case 'devices':
      return <DevicesBadge />;
    default:
      return null;
  }
}

/** In the bar at the bottom of a narrow screen. */
const atHand = ['home', 'conversations', 'objectives', 'devices', 'agents'];

/** The most used screens, in reach of a thumb. */
export function BottomBar() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const mayApprove = useMay('pendingEnrollments');
  return (
    <nav
      aria-label="Most used"
      className="flex shrink-0 border-t border-line bg-sunken pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {places
        .filter(({ id }) => atHand.includes(id) && (id !== 'devices' || mayApprove))
        .map((place) => (
          <Link
            key={place.id}
            to={place.to}
            aria-current={isAt(path, place) ? 'page' : undefined}
            className={cx(
              'relative flex h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-soft -outline-offset-2 [&_svg]:size-5',
              isAt(path, place) && 'font-medium text-accent',
            )}
          >
            {place.icon}
            <span className="max-w-full truncate px-0.5">{place.short ?? place.label}</span>
            <span className="absolute top-1 left-[calc(50%+0.25rem)]">
              <Badges id={place.id} />
            </span>
          </Link>
        ))}
    </nav>
  );
}

export function Navigation({ onGo }: { onGo: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isOffered: Record<string, boolean> = {
    audit: useMay('audit'),
  };
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5 p-2">
      {places
        .filter(({ id }) => isOffered[id] ?? true)
        .map((place) => (
          <Tooltip key={place.id} text={place.label} shortcut={keysOf(place.id)}>
            <Link
              to={place.to}
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
        ))}
    </nav>
  );
}
