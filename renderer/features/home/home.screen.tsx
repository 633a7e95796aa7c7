/** Home: what needs the member, what happened since the last visit, and how the team is doing. */

import { Link } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { counted } from '#protocol/counted.ts';
import { useKeptText } from '../../data/kept.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useBriefing, useHeldPosts, useRoster } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { lazyScreen } from '../../lazy-screen.ts';
import { cx } from '../../ui/class-names.ts';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AttentionList } from '../attention/attention-list.tsx';
import { SinceLastVisit } from '../attention/since.tsx';
import { useAttention } from '../attention/use-attention.ts';
import { ObjectiveList } from './objective-lines.tsx';
import { People } from './people.tsx';

const HeldPosts = lazyScreen(() => import('../holds/held-posts.tsx'), 'HeldPosts');
const TokenChart = lazyScreen(() => import('./token-chart.tsx'), 'TokenChart');
const FirstSteps = lazyScreen(() => import('./first-steps.tsx'), 'FirstSteps');

/** Home is shown as a whole, so that nothing moves under the pointer, unless something does not answer for so long. */
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
  const blocked = useObjectiveList({ status: 'blocked' });
  const mine = useObjectiveList({ status: 'active', assignee: self });
  const active = useObjectiveList({ status: 'active' });
  const { data: roster, error: rosterError } = useRoster();
  const { items, error: attentionError } = useAttention();
  const { data: held } = useHeldPosts();
  const isLate = useIsLate();
  const steps = useKeptText(`muster.first-steps.${self}`);
  const isLoaded = [items, blocked.objectives, mine.objectives, active.objectives, briefing, roster].every(
    (data) => data !== undefined,
  );
  const hasFailed = [attentionError, active.error, briefingError, rosterError].some(
    (error) => error !== null,
  );
  const isShown = isLoaded || hasFailed || isLate;
  const isAlone = briefing !== undefined && briefing.teammates.length === 1;
  return (
    <Page title="Home">
      {isShown ? null : <ListSkeleton rows={8} />}
      <div
        className={cx(
          'mx-auto flex max-w-6xl flex-col gap-4 p-4',
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
          <section aria-label="Directive" className="rounded-lg border border-line bg-surface px-5 py-4">
            <h2 className="text-sm font-medium text-soft">{briefing.team.name}</h2>
            <p className="mt-1 text-xl font-semibold text-balance">
              {briefing.team.directive === '' ? 'This team has no directive yet.' : briefing.team.directive}
            </p>
          </section>
        )}
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <Section title="Blocked">
            {blocked.error === null ? null : <ErrorState error={blocked.error} onRetry={blocked.retry} />}
            <ObjectiveList
              objectives={blocked.objectives}
              hasMore={blocked.hasMore}
              all={{ status: 'blocked' }}
              empty="Nothing is blocked."
            />
          </Section>
          <Section title="Assigned to you">
            {mine.error === null ? null : <ErrorState error={mine.error} onRetry={mine.retry} />}
            <ObjectiveList
              objectives={mine.objectives}
              hasMore={mine.hasMore}
              all={{ status: 'active', assignee: self }}
              empty="No objective is assigned to you."
            />
          </Section>
          <Section
            title="Team"
            actions={
              <Link to="/app/members" className="text-sm text-soft hover:text-text">
                {counted(briefing?.teammates.length ?? 0, 'member')}
              </Link>
            }
          >
            <People />
          </Section>
          {/* It appears when its figures arrive, at the end. */}
          {isShown ? (
            <Suspense fallback={null}>
              <TokenChart />
            </Suspense>
          ) : null}
        </div>
        {briefing !== undefined && briefing.team.brief !== '' ? (
          <Section title="Brief">
            <p className="px-4 py-3 whitespace-pre-wrap">{briefing.team.brief}</p>
          </Section>
        ) : null}
      </div>
    </Page>
  );
}
