/** The frame around every screen: navigation, connection, commands. */
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  FileText,
  Hash,
  Home,
  Menu as MenuIcon,
  MessagesSquare,
  MonitorSmartphone,
  Search,
  Settings,
  Target,
  Users,
} from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useNativeMenu } from '../commands/native-menu.ts';
import { Palette } from '../commands/palette.tsx';
import { type Command, type CommandContext, keysOf, offered } from '../commands/registry.ts';
import { ShortcutSheet } from '../commands/sheet.tsx';
import { listenForShortcuts } from '../commands/shortcuts.ts';
import { useLiveState } from '../data/live.tsx';
import { useBriefing, useMay, usePendingEnrollments, useSelf, useUnread } from '../data/queries.ts';
import { Avatar } from '../ui/avatar.tsx';
import { CountBadge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { useLogOut } from './log-out.ts';
import { Mark } from './mark.tsx';
import { applyTheme } from './theme.ts';

interface Place {
  id: string;
  label: string;
  to: string;
  icon: ReactNode;
}

const places: readonly Place[] = [
  { id: 'home', label: 'Home', to: '/app', icon: <Home /> },
  { id: 'conversations', label: 'Conversations', to: '/app/conversations/general', icon: <MessagesSquare /> },
  { id: 'objectives', label: 'Objectives', to: '/app/objectives', icon: <Target /> },
  { id: 'members', label: 'Members', to: '/app/members', icon: <Users /> },
  { id: 'devices', label: 'Devices', to: '/app/devices', icon: <MonitorSmartphone /> },
  { id: 'channels', label: 'Channels', to: '/app/channels', icon: <Hash /> },
  { id: 'files', label: 'Files', to: '/app/files', icon: <FileText /> },
  { id: 'activity', label: 'Activity', to: '/app/activity', icon: <Activity /> },
  { id: 'agents', label: 'Agents', to: '/app/agents', icon: <Bot /> },
  { id: 'settings', label: 'Settings', to: '/app/settings', icon: <Settings /> },
];

function isAt(path: string, { id, to }: Place): boolean {
  return id === 'home'
    ? path === '/app' || path === '/app/'
    : path.startsWith(to.split('/').slice(0, 3).join('/'));
}

function useCommandContext(): {
  context: CommandContext;
  layer: 'palette' | 'sheet' | null;
  close: () => void;
} {
  const navigate = useNavigate();
  const { mutate: logOut } = useLogOut();
  const self = useSelf();
  const [layer, setLayer] = useState<'palette' | 'sheet' | null>(null);
  const context = useMemo<CommandContext>(
    () => ({
      go: (to) => void navigate({ href: to, to: to.split('?')[0] ?? to }),
      isManager: self.permissions.includes('members.manage'),
      mayCreateObjectives: self.permissions.includes('objectives.create'),
      self: self.member,
      openPalette: () => setLayer('palette'),
      openSheet: () => setLayer('sheet'),
      setTheme: applyTheme,
      logOut,
    }),
    [navigate, logOut, self],
  );
  useEffect(
    () =>
      listenForShortcuts(
        () => offered(context),
        (command: Command) => command.run(context),
      ),
    [context],
  );
  useNativeMenu(context);
  return { context, layer, close: () => setLayer(null) };
}

function Badges({ id }: { id: string }) {
  const { data: unread } = useUnread();
  const { data: pending } = usePendingEnrollments(useMay('members.manage'));
  if (id === 'conversations') {
    const scopes = unread?.scopes ?? [];
    const direct = scopes
      .filter(({ scope }) => scope.startsWith('dm:'))
      .reduce((sum, { count }) => sum + count, 0);
    const mentions = scopes
      .filter(({ scope }) => !scope.startsWith('dm:'))
      .reduce((sum, one) => sum + one.mentions, 0);
    return <CountBadge count={direct + mentions} isMention name="direct messages and mentions" />;
  }
  if (id === 'devices')
    return <CountBadge count={pending?.enrollments.length ?? 0} isMention name="devices waiting" />;
  return null;
}

function Navigation({ onGo }: { onGo: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isManager = useMay('members.manage');
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5 p-2">
      {places
        .filter(({ id }) => id !== 'devices' || isManager)
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

/** What is on the screen stays; this says how fresh it is. */
function ConnectionBanner() {
  const state = useLiveState();
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' || state === 'refused' ? (
        <p className="border-b border-line bg-caution-soft px-4 py-1.5 text-sm text-caution">
          The broker cannot be reached. What you see is from before; it goes on by itself when the connection
          is back.
        </p>
      ) : null}
    </div>
  );
}

export function Shell() {
  const { context, layer, close } = useCommandContext();
  const { data: briefing } = useBriefing();
  const self = useSelf();
  const [isNavOpen, setNavOpen] = useState(false);
  return (
    <div className="flex h-full">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-raised p-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside
        className={cx(
          'inset-y-0 left-0 z-30 flex w-56 shrink-0 flex-col border-r border-line bg-sunken max-md:fixed max-md:shadow-(--shadow)',
          !isNavOpen && 'max-md:hidden',
        )}
      >
        <div className="flex h-12 items-center gap-2.5 px-3">
          <Mark className="size-6" />
          <span className="truncate font-semibold">{briefing?.team.name ?? 'Muster'}</span>
        </div>
        <button
          type="button"
          onClick={context.openPalette}
          className="mx-2 flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm text-faint hover:border-line-strong"
        >
          <Search className="size-4" />
          <span className="flex-1 text-left">Search or do</span>
        </button>
        <div className="min-h-0 flex-1 overflow-y-auto">
          <Navigation onGo={() => setNavOpen(false)} />
        </div>
        <Link
          to="/app/settings"
          className="m-2 flex items-center gap-2.5 rounded-md p-2 hover:bg-hover"
          onClick={() => setNavOpen(false)}
        >
          <Avatar name={self.member} />
          <span className="min-w-0">
            <span className="block truncate font-medium">{self.member}</span>
            <span className="block truncate text-xs text-faint">{self.role.title}</span>
          </span>
        </Link>
      </aside>
      <main id="content" className="flex min-w-0 flex-1 flex-col">
        <div className="flex h-11 items-center border-b border-line bg-surface px-2 md:hidden">
          <IconButton
            label={isNavOpen ? 'Close the menu' : 'Open the menu'}
            aria-expanded={isNavOpen}
            onClick={() => setNavOpen(!isNavOpen)}
          >
            <MenuIcon />
          </IconButton>
          <span className="ml-1 font-semibold">{briefing?.team.name ?? 'Muster'}</span>
        </div>
        <ConnectionBanner />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
      <Palette isOpen={layer === 'palette'} onClose={close} context={context} />
      <ShortcutSheet isOpen={layer === 'sheet'} onClose={close} context={context} />
    </div>
  );
}
