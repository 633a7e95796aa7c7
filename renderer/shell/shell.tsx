/** The frame around every screen: navigation, connection state, and commands. */
import { Link, Outlet } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { Kinds } from '../data/kinds.tsx';
import { useLiveState } from '../data/live.tsx';
import { useBriefing, useLoginFailures } from '../data/queries.ts';
import { useSelf } from '../data/self.tsx';
import { InboxCount } from '../features/inbox/inbox-count.tsx';
import { lazyScreen } from '../lazy-screen.ts';
import { Avatar } from '../ui/avatar.tsx';
import { MenuPopup } from '../ui/menu.tsx';
import { useCommandContext } from './command-context.ts';
import { knockSentence } from './knock.rules.ts';
import { Mark } from './mark.tsx';
import { BottomBar, Navigation } from './navigation.tsx';
import { usePreloadedScreens } from './preload-screens.ts';

/** Keeps the screen and says that it may be out of date. */
function ConnectionBanner() {
  const state = useLiveState();
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' || state === 'refused' ? (
        <p className="border-b border-line bg-caution-soft px-4 py-1.5 text-sm text-caution">
          The broker cannot be reached. This page may be out of date, and updates by itself when the
          connection is back.
        </p>
      ) : null}
    </div>
  );
}

/** Tells managers who fails to log in. */
function KnockBanner() {
  const data = useLoginFailures();
  const sentence = data === undefined ? null : knockSentence(data);
  return (
    <div role="status" aria-live="polite">
      {sentence === null ? null : (
        <p className="border-b border-line bg-caution-soft px-4 py-1.5 text-sm text-caution">{sentence}</p>
      )}
    </div>
  );
}

/** The team, the search, the screens, and the member. */
function Sidebar({ onGo, onSearch }: { onGo: () => void; onSearch: () => void }) {
  const { data: briefing } = useBriefing();
  const self = useSelf();
  return (
    <>
      <Link
        to="/app/admin"
        onClick={onGo}
        className="m-2 flex items-center gap-2.5 rounded-md p-2 hover:bg-hover aria-[current=page]:bg-selected max-md:mr-11"
      >
        <Mark className="size-6" />
        <span className="min-w-0">
          <span className="block truncate font-semibold">{briefing?.team.name ?? 'Muster'}</span>
          <span className="block text-xs text-faint">Admin</span>
        </span>
      </Link>
      <button
        type="button"
        onClick={onSearch}
        className="mx-2 flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm text-faint hover:border-line-strong"
      >
        <Search className="size-4" />
        <span className="flex-1 text-left">Go to…</span>
      </button>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Navigation onGo={onGo} />
      </div>
      <Link
        to="/app/me"
        className="m-2 flex items-center gap-2.5 rounded-md p-2 hover:bg-hover aria-[current=page]:bg-selected"
        onClick={onGo}
      >
        <Avatar name={self.member} />
        <span className="min-w-0">
          <span className="block truncate font-medium">{self.member}</span>
          <span className="block text-xs text-faint">Me</span>
        </span>
      </Link>
    </>
  );
}

const Drawer = lazyScreen(() => import('./drawer.tsx'), 'Drawer');
const Palette = lazyScreen(() => import('../commands/palette.tsx'), 'Palette');
const ShortcutSheet = lazyScreen(() => import('../commands/sheet.tsx'), 'ShortcutSheet');
const layers = [MenuPopup, Palette, Drawer, ShortcutSheet];

/** Loads what is in it when it is first opened. */
function Layer({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return wasOpen ? <Suspense fallback={null}>{children}</Suspense> : null;
}

export function Shell() {
  const { context, layer, close } = useCommandContext();
  const [isMenuOpen, setMenuOpen] = useState(false);
  usePreloadedScreens(layers);
  const closeMenu = () => setMenuOpen(false);
  return (
    <Kinds>
      {/* Hidden words in a list are placed outside of what scrolls it, and would make the whole page scroll. */}
      <div className="relative flex h-full overflow-clip">
        <a
          href="#content"
          className="sr-only z-50 rounded-md bg-raised p-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        <aside className="flex w-56 shrink-0 flex-col border-r border-line bg-sunken max-md:hidden">
          <Sidebar onGo={closeMenu} onSearch={context.openPalette} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <main id="content" className="flex min-h-0 min-w-0 flex-1 flex-col">
            <ConnectionBanner />
            <KnockBanner />
            <InboxCount />
            <div className="min-h-0 flex-1">
              <Outlet />
            </div>
          </main>
          <BottomBar onMore={() => setMenuOpen(true)} />
        </div>
        <Layer isOpen={isMenuOpen}>
          <Drawer isOpen={isMenuOpen} onClose={closeMenu}>
            <Sidebar
              onGo={closeMenu}
              onSearch={() => {
                closeMenu();
                context.openPalette();
              }}
            />
          </Drawer>
        </Layer>
        <Layer isOpen={layer === 'palette'}>
          <Palette isOpen={layer === 'palette'} onClose={close} context={context} />
        </Layer>
        <Layer isOpen={layer === 'sheet'}>
          <ShortcutSheet isOpen={layer === 'sheet'} onClose={close} context={context} />
        </Layer>
      </div>
    </Kinds>
  );
}
