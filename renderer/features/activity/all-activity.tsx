/** Activity of the team or of one member, live, with the exchange behind each row. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Activity as ActivityIcon } from 'lucide-react';
import { use } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import { agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { KindsContext } from '../../ui/kind.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { NeedsHere } from '../inbox/needs-here.tsx';
import { ActivityDetail } from './activity-detail.tsx';
import { ActivityFilters } from './activity-filters.tsx';
import { ActivityList } from './activity-list.tsx';
import { UsageStrip } from './usage-strip.tsx';
import { useActivity } from './use-activity.ts';

export function AllActivity() {
  const self = useSelf().member;
  const maySeeAll = useMay('activityRange');
  const search = useSearch({ from: '/app/activity' });
  const navigate = useNavigate({ from: '/app/activity' });
  const { data: roster } = useRoster();
  const kinds = use(KindsContext);
  const agents = [...kinds.byName].flatMap(([name, { kind: is }]) => (is === 'agent' ? [name] : []));
  const { kind, failed, objective, from, to, row: openRow } = search;
  const member = search.member ?? (maySeeAll ? undefined : self);
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useActivity(
    member ?? null,
    { kind, failed, objective, from, to },
  );
  const set = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, replace: true });
  const close = useClosingLayer();
  return (
    <div className="flex h-full flex-col">
      <NeedsHere
        names={search.member !== undefined ? [search.member] : kinds.isKnown ? agents : undefined}
        {...(search.member === undefined && { nothing: 'Your inbox has nothing about the agents.' })}
        className="shrink-0 px-4 pt-2"
      />
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
        <ActivityFilters
          filter={{ member, kind, failed, objective, from }}
          maySeeAll={maySeeAll}
          members={maySeeAll ? (roster?.teammates ?? []).map(({ name }) => name as string) : [self]}
          onFilter={(change) => set(change)}
        />
      </div>
      {error instanceof BrokerError && error.status === 403 ? (
        <EmptyState title="You cannot see this">
          Only members who may see all activity can see that of others.
        </EmptyState>
      ) : error !== null && rows.length === 0 ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <ListSkeleton rows={10} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ActivityIcon />} title={failed ? 'Nothing failed' : 'No activity yet'}>
          Activity of {member === undefined ? 'agents' : `${member}’s agent`} appears here live when you run
          it with <code className="font-mono">muster run {agentKinds[0].id}</code>.
        </EmptyState>
      ) : (
        <>
          {member === undefined ? null : <UsageStrip member={member} />}
          <ActivityList
            label={member === undefined ? 'Activity of the team' : `Activity of ${member}`}
            rows={rows}
            hasMember={member === undefined}
            hasOlder={hasNextPage}
            isLoadingOlder={isFetchingNextPage}
            onOlder={() => void fetchNextPage({ cancelRefetch: false })}
          />
        </>
      )}
      <ActivityDetail
        member={search.of ?? member ?? self}
        id={openRow}
        onClose={() => close(() => set({ row: undefined, of: undefined }))}
      />
    </div>
  );
}
