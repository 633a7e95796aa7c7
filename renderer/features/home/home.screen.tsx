/** Home: the team's directive, who is working, what is waiting for someone, and what was finished today. */

import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { counted } from '#protocol/counted.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useBriefing } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { startOfDay } from '../../ui/time.rules.ts';
import { useNow } from '../../ui/time.tsx';
import { HeldPosts } from '../holds/held-posts.tsx';
import { FirstTeammate } from './first-teammate.tsx';
import { completedSince } from './objective-groups.rules.ts';
import { ObjectiveList } from './objective-lines.tsx';
import { People } from './people.tsx';
import { TokenChart } from './token-chart.tsx';
import { WaitingDevices } from './waiting-devices.tsx';

function NothingFinished() {
  const { objectives, hasMore } = useObjectiveList({ status: 'active' });
  const active = objectives?.length ?? 0;
  return (
    <EmptyState icon={<CircleCheck />} title="Nothing finished yet today">
      {objectives === undefined
        ? null
        : `${hasMore ? 'At least ' : ''}${active} ${active === 1 ? 'objective is' : 'objectives are'} active.`}
    </EmptyState>
  );
}

export function HomeScreen() {
  const self = useSelf().member;
  const mayAddMembers = useMay('createMember');
  const mayApprove = useMay('approveEnrollment');
  const { data: briefing, error: briefingError, refetch: askBriefing } = useBriefing();
  const blocked = useObjectiveList({ status: 'blocked' });
  const mine = useObjectiveList({ status: 'active', assignee: self });
  const done = useObjectiveList({ status: 'done' });
  const failed = [blocked, mine, done].find((list) => list.error !== null);
  const now = useNow();
  const today = startOfDay(now);
  const finished = useMemo(
    () => done.objectives && completedSince(done.objectives, today),
    [done.objectives, today],
  );
  const isAlone = briefing !== undefined && briefing.teammates.length === 1;
  return (
    <Page title="Home">
      <div className="mx-auto flex max-w-6xl flex-col gap-4 p-4">
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
        {failed === undefined ? null : <ErrorState error={failed.error} onRetry={failed.retry} />}
        <HeldPosts />
        {mayApprove ? <WaitingDevices /> : null}
        {isAlone && mayAddMembers ? <FirstTeammate /> : null}
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <Section title="Blocked">
            <ObjectiveList
              objectives={blocked.objectives}
              hasMore={blocked.hasMore}
              all={{ status: 'blocked' }}
              empty="Nothing is blocked."
            />
          </Section>
          <Section title="Assigned to you">
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
          <div className="flex min-w-0 flex-col gap-4">
            <Section title="Finished today">
              <ObjectiveList
                objectives={finished}
                hasMore={done.hasMore}
                all={{ status: 'done' }}
                empty={<NothingFinished />}
              />
              {done.hasMore ? (
                <p className="px-4 pb-3 text-sm text-soft">
                  Among the newest {done.objectives?.length} objectives that are done.
                </p>
              ) : null}
            </Section>
            <TokenChart />
          </div>
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
