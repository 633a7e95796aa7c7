/** Home: what the team is for, who is working, what waits for somebody, and what was finished today. */
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import {
  useBriefing,
  useMay,
  useObjectives,
  usePendingEnrollments,
  useRoster,
  useSelf,
} from '../../data/queries.ts';
import { Avatar, PresenceMark, presenceState } from '../../ui/avatar.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { TokenChart } from './token-chart.tsx';

const shown = 8;

function startOfToday(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

function ObjectiveLine({ objective }: { objective: Objective }) {
  const { id, title, status, assignee, blockReason, updatedAt } = objective;
  return (
    <li>
      <Link
        to="/app/objectives/$id"
        params={{ id }}
        className="flex items-start gap-3 px-4 py-2 hover:bg-hover"
      >
        <span className="w-18 shrink-0 pt-0.5">
          <StatusBadge status={status} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{title}</span>
          <span className="block truncate text-sm text-soft">{blockReason ?? `with ${assignee}`}</span>
        </span>
        <span className="text-sm text-faint">
          <Time at={updatedAt} />
        </span>
      </Link>
    </li>
  );
}

function ObjectiveList({ objectives, empty }: { objectives: readonly Objective[]; empty: string }) {
  if (objectives.length === 0) return <p className="px-4 py-4 text-soft">{empty}</p>;
  return (
    <ul>
      {objectives.slice(0, shown).map((objective) => (
        <ObjectiveLine key={objective.id} objective={objective} />
      ))}
      {objectives.length > shown ? (
        <li className="px-4 py-2 text-sm">
          <Link to="/app/objectives" className="text-accent underline underline-offset-2">
            All {objectives.length}
          </Link>
        </li>
      ) : null}
    </ul>
  );
}

function People() {
  const { data: roster, error, refetch } = useRoster();
  if (error !== null && roster === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (roster === undefined) return <ListSkeleton rows={3} />;
  const presenceByName = new Map(roster.connected.map((presence) => [presence.name as string, presence]));
  const rank = { working: 0, here: 1, away: 2 };
  const sorted = [...roster.teammates].sort(
    (a, b) =>
      rank[presenceState(presenceByName.get(a.name))] - rank[presenceState(presenceByName.get(b.name))],
  );
  return (
    <ul className="max-h-80 overflow-y-auto">
      {sorted.map(({ name, role }) => (
        <li key={name}>
          <Link
            to="/app/members/$name"
            params={{ name }}
            className="flex items-center gap-3 px-4 py-1.5 hover:bg-hover"
          >
            <Avatar name={name} />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate text-sm text-soft">{role.title}</span>
            </span>
            <PresenceMark presence={presenceByName.get(name)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Devices() {
  const { data, error, refetch } = usePendingEnrollments(true);
  if (data === undefined && error !== null)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  const pending = data?.enrollments ?? [];
  if (pending.length === 0) return null;
  return (
    <Section
      title={`${pending.length} ${pending.length === 1 ? 'device waits' : 'devices wait'} for approval`}
    >
      <ul>
        {pending.map(({ userCode, labelHint, createdAt }) => (
          <li key={userCode}>
            <Link
              to="/app/devices"
              search={{ code: userCode }}
              className="flex items-center gap-3 px-4 py-2 hover:bg-hover"
            >
              <code className="font-mono font-semibold">{userCode}</code>
              <span className="min-w-0 flex-1 truncate text-soft">
                {labelHint ?? 'a device without a name'}
              </span>
              <span className="text-sm text-faint">
                <Time at={createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Alone() {
  const { origin } = useBroker().transport;
  return (
    <Section title="Bring in your team">
      <div className="flex flex-col gap-3 px-4 py-4">
        <p className="text-soft">
          On another machine, a teammate or an agent joins with this command; the code it shows waits for you
          under Devices.
        </p>
        <CopyLine label="Join command" text={`npx svc connect --url ${origin}`} />
        <p className="text-soft">An agent on this machine starts as a member of the team with:</p>
        <CopyLine label="Run command" text="npx svc run claude-code --as <member>" />
      </div>
    </Section>
  );
}

export function HomeScreen() {
  const self = useSelf().member;
  const isManager = useMay('members.manage');
  const { data: briefing, error: briefingError, refetch: askBriefing } = useBriefing();
  const { data, error, refetch } = useObjectives();
  const now = useNow();
  const today = startOfToday(now);
  const groups = useMemo(() => {
    const all = data?.objectives ?? [];
    return {
      blocked: all.filter(({ status }) => status === 'blocked'),
      mine: all.filter(({ status, assignee }) => assignee === self && status === 'active'),
      finished: all.filter(({ completedAt }) => completedAt !== null && completedAt >= today),
      active: all.filter(({ status }) => status === 'active'),
    };
  }, [data, self, today]);
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
        {error === null ? null : <ErrorState error={error} onRetry={() => void refetch()} />}
        {isManager ? <Devices /> : null}
        {isAlone && isManager ? <Alone /> : null}
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <Section title="Blocked">
            {data === undefined ? (
              <ListSkeleton rows={2} />
            ) : (
              <ObjectiveList objectives={groups.blocked} empty="Nothing is blocked." />
            )}
          </Section>
          <Section title="With you">
            {data === undefined ? (
              <ListSkeleton rows={2} />
            ) : (
              <ObjectiveList objectives={groups.mine} empty="No objective is assigned to you." />
            )}
          </Section>
          <Section
            title="Who is here"
            actions={
              <Link to="/app/members" className="text-sm text-soft hover:text-text">
                {briefing?.teammates.length ?? 0} members
              </Link>
            }
          >
            <People />
          </Section>
          <div className="flex min-w-0 flex-col gap-4">
            <Section title="Finished today">
              {data === undefined ? (
                <ListSkeleton rows={2} />
              ) : groups.finished.length === 0 ? (
                <EmptyState icon={<CircleCheck />} title="Nothing yet today">
                  {groups.active.length} {groups.active.length === 1 ? 'objective is' : 'objectives are'}{' '}
                  active.
                </EmptyState>
              ) : (
                <ObjectiveList objectives={groups.finished} empty="" />
              )}
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
