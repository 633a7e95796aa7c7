/** A short list of objectives. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Objective } from '#protocol/objective.ts';
import type { ObjectiveListFilter } from '../../data/objective-pages.rules.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const maxShown = 8;

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
          <span className="block truncate text-sm text-soft">{blockReason ?? `Assigned to ${assignee}`}</span>
        </span>
        <span className="text-sm text-faint">
          <Time at={updatedAt} />
        </span>
      </Link>
    </li>
  );
}

export function ObjectiveList({
  objectives,
  hasMore,
  all,
  empty,
}: {
  /** Undefined until they are loaded. */
  objectives: readonly Objective[] | undefined;
  /** Whether the broker has more of them. */
  hasMore: boolean;
  /** The filter of the objectives screen that shows all of them. */
  all: ObjectiveListFilter;
  empty: ReactNode;
}) {
  if (objectives === undefined) return <ListSkeleton rows={2} />;
  if (objectives.length === 0)
    return typeof empty === 'string' ? <p className="px-4 py-4 text-soft">{empty}</p> : empty;
  return (
    <ul>
      {objectives.slice(0, maxShown).map((objective) => (
        <ObjectiveLine key={objective.id} objective={objective} />
      ))}
      {objectives.length > maxShown ? (
        <li className="px-4 py-2 text-sm">
          <Link to="/app/objectives" search={all} className="text-accent underline underline-offset-2">
            Show all {hasMore ? '' : objectives.length}
          </Link>
        </li>
      ) : null}
    </ul>
  );
}
