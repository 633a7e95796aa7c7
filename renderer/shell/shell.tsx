/** The frame around every screen: navigation, connection state, and commands. */
import { Link, Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { useState } from 'react';
import { Palette } from '../commands/palette.tsx';
import { ShortcutSheet } from '../commands/sheet.tsx';
import { useLiveState } from '../data/live.tsx';
import { useBriefing, useLoginFailures } from '../data/queries.ts';
import { useSelf } from '../data/self.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { useCommandContext } from './command-context.ts';
import { knockSentence } from './knock.rules.ts';
import { Mark } from './mark.tsx';
import { Navigation } from './navigation.tsx';
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
  const { data } = useLoginFailures();
  const sentence = data === undefined ? null : knockSentence(data);
  return (
    <div role="status" aria-live="polite">
      {sentence === null ? null : (
        <p className="border-b border-line bg-caution-soft px-4 py-1.5 text-sm break-words text-caution">
          {sentence}
        </p>
      )}
    </div>
  );
}

export function Shell() {
  const { context, layer, close } = useCommandContext();
  const { data: briefing } = useBriefing();
  const self = useSelf();
  const [isNavOpen, setNavOpen] = useState(false);
  usePreloadedScreens();
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
          <span className="flex-1 text-left">Search</span>
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
        <KnockBanner />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
      <Palette isOpen={layer === 'palette'} onClose={close} context={context} />
      <ShortcutSheet isOpen={layer === 'sheet'} onClose={close} context={context} />
    </div>
  );
}
