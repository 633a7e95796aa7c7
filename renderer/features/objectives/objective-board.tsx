/** Objectives as a board with one column per status, each loaded by itself. */
import { Link } from '@tanstack/react-router';
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { hasStatus } from '../../data/objective-pages.rules.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { nameOfStatus, StatusBadge } from '../../ui/badge.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { type ObjectiveFilter, withWords } from './objective-filter.ts';

interface BoardProps {
  filter: ObjectiveFilter;
}

function Card({ objective }: { objective: Objective }) {
  const { id, title, outcome, blockReason, assignee } = objective;
  return (
    <Link
      to="/app/objectives/$id"
      params={{ id }}
      className="flex w-full flex-col gap-1 rounded-md border border-line bg-surface px-3 py-2 text-left hover:border-line-strong"
    >
      <span className="font-medium">{title}</span>
      <span className="line-clamp-2 text-sm text-soft">{blockReason ?? outcome}</span>
      <span className="flex items-center gap-1.5 text-sm text-soft">
        <Avatar name={assignee} size="small" />
        {assignee}
      </span>
    </Link>
  );
}

function Column({ status, filter }: BoardProps & { status: ObjectiveStatus }) {
  const { assignee, q } = filter;
  const isWanted = hasStatus(status, filter.status);
  const list = useObjectiveList({ status, assignee }, isWanted);
  const found = withWords(list.objectives ?? [], q);
  const isLoaded = !isWanted || list.objectives !== undefined;
  return (
    <section
      aria-label={nameOfStatus(status)}
      className="flex min-h-0 min-w-0 flex-col rounded-lg bg-hover/60 p-2"
    >
      <h2 className="flex items-center justify-between px-1 pb-2">
        <StatusBadge status={status} />
        <span className="text-sm text-faint">
          {isLoaded ? `${found.length}${list.hasMore ? '+' : ''}` : ''}
        </span>
      </h2>
      {isLoaded ? null : list.error === null ? (
        <ListSkeleton rows={3} />
      ) : (
        <ErrorState error={list.error} onRetry={list.retry} />
      )}
      <div className="min-h-0 overflow-y-auto">
        <ul className="flex flex-col gap-2">
          {found.map((objective) => (
            <li key={objective.id}>
              <Card objective={objective} />
            </li>
          ))}
        </ul>
        {list.hasMore && list.objectives !== undefined ? (
          <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} error={list.error}>
            The newest {list.objectives.length} are loaded.
          </LoadMore>
        ) : null}
      </div>
    </section>
  );
}

export function ObjectiveBoard(props: BoardProps) {
  return (
    <div
      {...scrollable('Board', 'region')}
      className="grid h-full auto-cols-[minmax(15rem,1fr)] grid-flow-col gap-3 overflow-x-auto p-4"
    >
      {objectiveStatuses.map((status) => (
        <Column key={status} status={status} {...props} />
      ))}
    </div>
  );
}
