/** The loaded objectives that match, and how to reach the others. */
import { Link } from '@tanstack/react-router';
import { Target } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ObjectiveListState } from '../../data/objective-lists.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';
import { useSelf } from '../../data/self.tsx';
import { Button, linkClass } from '../../ui/button.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { EmptyState, ErrorState, NotLoaded } from '../../ui/states.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import { isFiltered, statusOf } from './arrangement.rules.ts';
import { SelectableList, type SelectableListProps } from './selectable-list.tsx';

export interface NothingFoundProps {
  view: ObjectiveView;
  /** The number of objectives that were looked at, if there are more. */
  among: number | undefined;
  mayCreate: boolean;
  onClear: () => void;
  onAll: () => void;
}

/** Returns what is missing in one of the views that everybody has; null for another filter. */
function missingIn(view: ObjectiveView, self: string): string | null {
  const { q, originator, assignee } = view;
  const status = statusOf(view);
  if (q !== undefined || originator !== undefined || status === undefined) return null;
  if (status === 'open') return assignee === self ? 'No open objective is assigned to you' : null;
  return assignee === undefined ? `No ${nameOfStatus(status)} objectives` : null;
}

export function NothingFound({ view, among, mayCreate, onClear, onAll }: NothingFoundProps) {
  const missing = missingIn(view, useSelf().member);
  if (missing !== null) return <EmptyState icon={<Target />} title={missing} />;
  const isOpenOnly = statusOf(view) === 'open';
  if (isFiltered(view))
    return (
      <EmptyState
        icon={<Target />}
        title={
          among === undefined
            ? 'No objective matches the filter'
            : `None of the newest ${among} objectives matches the filter`
        }
        action={<Button onClick={onClear}>Clear the filter</Button>}
      />
    );
  return (
    <EmptyState
      icon={<Target />}
      title={isOpenOnly ? 'No open objectives' : 'No objectives yet'}
      action={isOpenOnly ? <Button onClick={onAll}>Show every status</Button> : undefined}
    >
      {mayCreate
        ? 'An objective says who is to achieve which outcome. Create one here, or with “muster objectives create”.'
        : 'Only members who may create objectives can add one.'}
    </EmptyState>
  );
}

/** The shown part of the loaded objectives, and the part of the list that they are. */
export const summaryOf = (found: number, { objectives, hasMore }: ObjectiveListState): string =>
  objectives === undefined ? '' : `${found} of ${hasMore ? 'the newest ' : ''}${objectives.length}`;

interface FoundListProps extends Omit<SelectableListProps, 'end' | 'nothing'> {
  list: ObjectiveListState;
  q: string | undefined;
  /** Whether the order or the groups are made of what is loaded. */
  isArranged: boolean;
  /** Shown if there is no objective at all for the filter. */
  nothing: ReactNode;
}

export function FoundList({ list, q, isArranged, nothing, lines, ...props }: FoundListProps) {
  if (list.objectives === undefined) return <NotLoaded error={list.error} onRetry={list.retry} />;
  const loaded = list.objectives.length;
  const end = list.hasMore ? (
    <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} error={list.error}>
      {q === undefined ? (
        `The newest ${loaded} objectives are loaded.${isArranged ? ' Only these are sorted and grouped.' : ''}`
      ) : (
        <>
          Only the newest {loaded} objectives are filtered by text.{' '}
          <Link
            to="/app/conversations/$scope"
            params={{ scope: 'general' }}
            search={{ search: q }}
            className={linkClass}
          >
            Search all
          </Link>
        </>
      )}
    </LoadMore>
  ) : list.error === null ? null : (
    <ErrorState error={list.error} onRetry={list.retry} />
  );
  return <SelectableList {...props} lines={lines} nothing={nothing} end={end} />;
}
