/** Since the member was here: what was finished, started, and blocked, what is unread, and the tokens. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { counted } from '#protocol/counted.ts';
import type { Objective } from '#protocol/objective.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useUnread, useUsage } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { chartDays, dayUsage, lastDays, shortCount } from '../../data/token-usage.ts';
import { cx } from '../../ui/class-names.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { usePreferences } from '../conversations/preferences.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { useLastVisit } from './last-visit.ts';
import { newsSince, unreadChannels } from './since.rules.ts';

const maxShown = 5;
const dayMs = 86_400_000;
/** The broker answers the usage of so many days. */
const maxDays = 31;

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="text-sm font-medium text-soft">{title}</h3>
      {children}
    </div>
  );
}

function More({ count }: { count: number }) {
  return count > 0 ? <li className="py-0.5 text-sm text-faint">and {count} more</li> : null;
}

interface ObjectivesProps {
  title: string;
  objectives: readonly Objective[];
  at: (objective: Objective) => number;
}

function Objectives({ title, objectives, at }: ObjectivesProps) {
  if (objectives.length === 0) return null;
  return (
    <Part title={`${title}: ${objectives.length}`}>
      <ul>
        {objectives.slice(0, maxShown).map((one) => (
          <li key={one.id} className="flex items-baseline gap-2 py-0.5">
            <Link
              to="/app/objectives/$id"
              params={{ id: one.id }}
              dir="auto"
              title={one.title}
              className="min-w-0 flex-1 wrap-anywhere hover:underline sm:truncate"
            >
              {one.title}
            </Link>
            <span className="max-w-1/2 text-sm wrap-anywhere text-faint">
              {one.assignee} · <Time at={at(one)} />
            </span>
          </li>
        ))}
        <More count={objectives.length - maxShown} />
      </ul>
    </Part>
  );
}

function Unread() {
  const { data } = useUnread();
  const { muted } = usePreferences();
  const scopes = unreadChannels(data?.scopes ?? [], muted);
  if (scopes.length === 0) return null;
  return (
    <Part title="Unread in channels">
      <ul>
        {scopes.slice(0, maxShown).map(({ scope, count }) => (
          <li key={scope} className="flex items-baseline gap-2 py-0.5">
            <Link
              to="/app/conversations/$scope"
              params={{ scope }}
              dir="auto"
              className="min-w-0 flex-1 truncate hover:underline"
            >
              <ShownScope scope={scope} />
            </Link>
            <span className="text-sm text-faint">{counted(count, 'message')}</span>
          </li>
        ))}
        <More count={scopes.length - maxShown} />
      </ul>
    </Part>
  );
}

/** Usage is kept per UTC day, so the days are named. */
function Tokens({ since }: { since: number }) {
  const now = useNow();
  const days = Math.min(maxDays, Math.floor(now / dayMs) - Math.floor(since / dayMs) + 1);
  const { data } = useUsage(Math.max(chartDays, days));
  if (data === undefined) return null;
  const all = dayUsage(data.usage, lastDays(days, now)).reduce((sum, tokens) => sum + tokens, 0);
  if (all === 0) return null;
  return (
    <Part title="Tokens">
      <p className="py-0.5">
        {shortCount.format(all)}{' '}
        <span className="text-sm text-faint">
          {days === 1 ? 'today (UTC)' : `in the last ${counted(days, 'UTC day')}, including today`}
        </span>
      </p>
    </Part>
  );
}

export function SinceLastVisit({ isNarrow }: { isNarrow: boolean }) {
  const since = useLastVisit(useSelf().member);
  const active = useObjectiveList({ status: 'active' });
  const blocked = useObjectiveList({ status: 'blocked' });
  const done = useObjectiveList({ status: 'done' });
  const failed = [active, blocked, done].find(({ error }) => error !== null);
  const news =
    active.objectives && blocked.objectives && done.objectives
      ? newsSince({ active: active.objectives, blocked: blocked.objectives, done: done.objectives }, since)
      : undefined;
  const isQuiet = news !== undefined && Object.values(news).every((list) => list.length === 0);
  return (
    <Section
      title="Since you were here"
      actions={
        <span className="text-sm text-faint">
          <Time at={since} />
        </span>
      }
    >
      {failed === undefined ? null : <ErrorState error={failed.error} onRetry={failed.retry} />}
      {news === undefined && failed === undefined ? <ListSkeleton rows={2} /> : null}
      {/* As a whole, so that nothing in it moves. */}
      <div
        className={cx(
          'grid grid-cols-1 gap-x-8 gap-y-3 px-4 py-3',
          !isNarrow && 'md:grid-cols-2',
          news === undefined && failed === undefined && 'hidden',
        )}
      >
        {isQuiet ? <p className="text-soft">No objective was started, blocked, or finished.</p> : null}
        {news === undefined ? null : (
          <>
            <Objectives
              title="Finished"
              objectives={news.finished}
              at={({ completedAt, updatedAt }) => completedAt ?? updatedAt}
            />
            <Objectives title="Blocked" objectives={news.blocked} at={({ updatedAt }) => updatedAt} />
            <Objectives title="Started" objectives={news.started} at={({ createdAt }) => createdAt} />
          </>
        )}
        <Unread />
        <Tokens since={since} />
      </div>
    </Section>
  );
}
