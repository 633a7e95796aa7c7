/** The inbox: what needs the member, and what happened since the last visit. */

import { Link } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useKeptText } from '../../data/kept.ts';
import { useBriefing, useHeldPosts } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { lazyScreen } from '../../lazy-screen.ts';
import { cx } from '../../ui/class-names.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AttentionList } from '../attention/attention-list.tsx';
import { SinceLastVisit } from '../attention/since.tsx';
import { useAttention } from '../attention/use-attention.ts';

const HeldPosts = lazyScreen(() => import('../holds/held-posts.tsx'), 'HeldPosts');
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

export function HomeScreen() {
  const self = useSelf().member;
  const mayAddMembers = useMay('createMember');
  const { data: briefing, error: briefingError, refetch: askBriefing } = useBriefing();
  const { items, error: attentionError } = useAttention();
  const { data: held } = useHeldPosts();
  const isLate = useIsLate();
  const steps = useKeptText(`muster.first-steps.${self}`);
  const isLoaded = items !== undefined && briefing !== undefined;
  const isShown = isLoaded || attentionError !== null || briefingError !== null || isLate;
  const isAlone = briefing !== undefined && briefing.teammates.length === 1;
  return (
    <Page title="Inbox">
      {isShown ? null : <ListSkeleton rows={8} />}
      <div
        className={cx(
          'mx-auto flex max-w-4xl flex-col gap-4 p-4',
          !isShown && 'invisible h-0 overflow-hidden',
        )}
      >
        <AttentionList />
        {isShown && held?.held.length !== 0 ? (
          <Suspense fallback={null}>
            <HeldPosts />
          </Suspense>
        ) : null}
        {mayAddMembers && (steps === 'open' || (isAlone && steps === null)) ? (
          <Suspense fallback={<ListSkeleton rows={4} />}>
            <FirstSteps />
          </Suspense>
        ) : null}
        <SinceLastVisit />
        {briefing === undefined && briefingError !== null ? (
          <ErrorState error={briefingError} onRetry={() => void askBriefing()} />
        ) : null}
        {briefing === undefined ? null : (
          <p className="px-4 text-sm text-soft" dir="auto">
            {briefing.team.directive === '' ? 'This team has no directive yet.' : briefing.team.directive}{' '}
            <Link
              to="/app/settings"
              search={{ part: 'team' }}
              className="text-accent underline underline-offset-2"
            >
              About the team
            </Link>
          </p>
        )}
      </div>
    </Page>
  );
}
