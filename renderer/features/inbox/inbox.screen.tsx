/** The inbox: what needs the member, the item that is open, and what happened since the last visit. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import type { InboxItem } from '#protocol/inbox.ts';
import { useKeptText } from '../../data/kept.ts';
import { useBriefing } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { lazyScreen } from '../../lazy-screen.ts';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { InboxList } from './inbox-list.tsx';
import { useInbox } from './use-inbox.ts';

const InboxPane = lazyScreen(() => import('./inbox-pane.tsx'), 'InboxPane');
/** After the list, which says what needs the member. */
const SinceLastVisit = lazyScreen(() => import('./since.tsx'), 'SinceLastVisit');
const FirstSteps = lazyScreen(() => import('./first-steps.tsx'), 'FirstSteps');

/** The inbox is shown as a whole, so that nothing moves under the pointer, unless something does not answer for so long. */
const patienceMs = 10_000;

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}

/** The kind and the matter, without the version. */
const matterOf = (key: string | undefined): string | undefined => key?.split(' ', 2).join(' ');

/**
 * Returns the item that is open, also when it has left the list meanwhile, because it was read for example. After a reload, something
 * newer about the same matter counts, too.
 */
function useOpenItem(key: string | undefined, items: readonly InboxItem[] | undefined) {
  const [last, setLast] = useState<InboxItem>();
  const present = items?.find((item) => item.key === key);
  if (present !== undefined && present !== last) setLast(present);
  if (present !== undefined || last?.key === key) return present ?? last;
  return items?.find((item) => matterOf(item.key) === matterOf(key));
}

export function InboxScreen() {
  const self = useSelf().member;
  const mayAddMembers = useMay('createMember');
  const { item: key } = useSearch({ from: '/app/' });
  const navigate = useNavigate({ from: '/app/' });
  const close = useClosingLayer();
  const { data: briefing, error: briefingError, refetch: askBriefing } = useBriefing();
  const { data: items, error } = useInbox();
  const open = useOpenItem(key, items);
  const isLate = useIsLate();
  const steps = useKeptText(`muster.first-steps.${self}`);
  const isLoaded = items !== undefined && briefing !== undefined;
  const isShown = isLoaded || error !== null || briefingError !== null || isLate;
  const isAlone = briefing !== undefined && briefing.teammates.length === 1;
  const isOpen = key !== undefined && isShown;
  const onClose = () => close(() => void navigate({ search: {}, replace: true }));
  return (
    <Page title="Inbox">
      {isShown ? null : <ListSkeleton rows={8} />}
      <div className={cx('flex h-full', !isShown && 'invisible h-0 overflow-hidden')}>
        <div
          className={cx(
            'flex h-full flex-col overflow-y-auto',
            isOpen ? 'w-88 shrink-0 max-lg:hidden' : 'mx-auto w-full max-w-4xl',
          )}
        >
          <InboxList open={key} onClose={onClose} />
          {mayAddMembers && (steps === 'open' || (isAlone && steps === null)) ? (
            <Suspense fallback={<ListSkeleton rows={4} />}>
              <FirstSteps />
            </Suspense>
          ) : null}
          {briefing === undefined ? null : (
            <p className="flex gap-2 px-4 py-3 text-sm text-soft">
              <span className="truncate" dir="auto">
                {briefing.team.directive || 'This team has no directive yet.'}
              </span>
              <Link to="/app/admin/team" className={cx(linkClass, 'shrink-0')}>
                About the team
              </Link>
            </p>
          )}
          {isShown ? (
            <Suspense fallback={<ListSkeleton rows={2} />}>
              <SinceLastVisit isNarrow={isOpen} />
              {briefing === undefined && briefingError !== null ? (
                <ErrorState error={briefingError} onRetry={() => void askBriefing()} />
              ) : null}
            </Suspense>
          ) : null}
        </div>
        {isOpen ? (
          <Suspense fallback={<ListSkeleton rows={8} />}>
            <InboxPane key={key} item={open} onClose={onClose} />
          </Suspense>
        ) : null}
      </div>
    </Page>
  );
}
