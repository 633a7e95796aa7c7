/** Activity: a member's live timeline, with the exchange behind each row. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Activity as ActivityIcon } from 'lucide-react';
import type { ActivityRow } from '#protocol/activity.ts';
import { BrokerError } from '#protocol/errors.ts';
import { agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { ActivityFilters } from './activity-filters.tsx';
import { labelByKind } from './activity-kinds.ts';
import { ActivityList } from './activity-list.tsx';
import { ExchangeView } from './exchange.tsx';
import { UsageStrip } from './usage-strip.tsx';
import { useActivity } from './use-activity.ts';

const titleOf = (label: string, member: string): string =>
  `${label.charAt(0).toUpperCase()}${label.slice(1)} of ${member}`;

function Detail({ row }: { row: ActivityRow }) {
  if (row.event.kind === 'llm_exchange') return <ExchangeView entry={row.event.entry} />;
  return (
    <pre className="font-mono text-sm break-words whitespace-pre-wrap">
      {JSON.stringify(row.event, null, 2)}
    </pre>
  );
}

export function ActivityScreen() {
  const self = useSelf().member;
  const maySeeAll = useMay('activityRange');
  const search = useSearch({ from: '/app/activity' });
  const navigate = useNavigate({ from: '/app/activity' });
  const { data: roster } = useRoster();
  const { kind, objective, from, to, row: openRow } = search;
  const member = search.member ?? self;
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useActivity(
    member,
    {
      kind,
      objective,
      from,
      to,
    },
  );
  const set = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, replace: true });
  const close = useClosingLayer();
  const opened = rows.find(({ id }) => id === openRow);
  return (
    <Page
      title="Activity"
      toolbar={
        <ActivityFilters
          filter={{ member, kind, objective, from }}
          members={maySeeAll ? (roster?.teammates ?? []).map(({ name }) => name as string) : [self]}
          onFilter={(change) => set(change)}
        />
      }
    >
      {error instanceof BrokerError && error.status === 403 ? (
        <EmptyState title="You cannot see this">
          Only members with activity.read can see the activity of others.
        </EmptyState>
      ) : error !== null && rows.length === 0 ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <ListSkeleton rows={10} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ActivityIcon />} title="No activity yet">
          Activity of {member}’s agent appears here live when you run it with{' '}
          <code className="font-mono">svc run {agentKinds[0].id}</code>.
        </EmptyState>
      ) : (
        <div className="flex h-full flex-col">
          <UsageStrip member={member} />
          <ActivityList
            label={`Activity of ${member}`}
            rows={rows}
            hasOlder={hasNextPage}
            isLoadingOlder={isFetchingNextPage}
            onOlder={() => void fetchNextPage({ cancelRefetch: false })}
          />
        </div>
      )}
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => close(() => set({ row: undefined }))}
        title={opened === undefined ? '' : titleOf(labelByKind[opened.event.kind].label, member)}
        wide
      >
        {opened === undefined ? null : <Detail row={opened} />}
      </Dialog>
    </Page>
  );
}
