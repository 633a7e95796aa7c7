/** Objectives as a list or a board, with the filter in the URL. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, List, Plus, Target } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { keysOf } from '../../commands/registry.ts';
import { type ObjectiveListState, useObjectiveList } from '../../data/objective-lists.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { CreateObjective } from './create-objective.tsx';
import { ObjectiveBoard } from './objective-board.tsx';
import { type ObjectiveFilter, withWords } from './objective-filter.ts';
import { ObjectiveFilters } from './objective-filters.tsx';
import { type ListProps, ObjectiveList } from './objective-list.tsx';
import { ObjectivePeek } from './objective-peek.tsx';

type View = 'list' | 'board';

function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <>
      <IconButton
        label="List"
        aria-pressed={view === 'list'}
        className={cx(view === 'list' && 'bg-selected')}
        onClick={() => onView('list')}
      >
        <List />
      </IconButton>
      <IconButton
        label="Board"
        aria-pressed={view === 'board'}
        className={cx(view === 'board' && 'bg-selected')}
        onClick={() => onView('board')}
      >
        <Columns3 />
      </IconButton>
    </>
  );
}

function NothingFound({
  isFiltered,
  among,
  mayCreate,
  onClear,
}: {
  isFiltered: boolean;
  /** The number of objectives that were looked at, if there are more. */
  among: number | undefined;
  mayCreate: boolean;
  onClear: () => void;
}) {
  if (isFiltered)
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
    <EmptyState icon={<Target />} title="No objectives yet">
      {mayCreate
        ? 'An objective says who is to achieve which outcome. Create the first one here, or with “svc objectives create”.'
        : 'Members with objectives.create can create them.'}
    </EmptyState>
  );
}

/** What is shown of what is loaded, and of which part of the list that is. */
const summaryOf = (found: number, { objectives, hasMore }: ObjectiveListState): string =>
  objectives === undefined ? '' : `${found} of ${hasMore ? 'the newest ' : ''}${objectives.length}`;

interface FoundListProps extends Omit<ListProps, 'end'> {
  list: ObjectiveListState;
  q: string | undefined;
  /** Shown if there is no objective at all for the filter. */
  nothing: ReactNode;
}

/** The loaded objectives that match, and how to get at the others. */
function FoundList({ list, q, nothing, objectives, ...props }: FoundListProps) {
  if (list.objectives === undefined)
    return list.error === null ? <ListSkeleton /> : <ErrorState error={list.error} onRetry={list.retry} />;
  const loaded = list.objectives.length;
  const end = list.hasMore ? (
    <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} error={list.error}>
      {q === undefined ? (
        `The newest ${loaded} objectives are loaded.`
      ) : (
        <>
          Only the newest {loaded} objectives are filtered by text.{' '}
          <Link
            to="/app/conversations/$scope"
            params={{ scope: 'general' }}
            search={{ search: q }}
            className="text-accent underline underline-offset-2"
          >
            Search all
          </Link>
        </>
      )}
    </LoadMore>
  ) : list.error === null ? null : (
    <ErrorState error={list.error} onRetry={list.retry} />
  );
  if (objectives.length > 0) return <ObjectiveList {...props} objectives={objectives} end={end} />;
  return (
    <>
      {nothing}
      {end}
    </>
  );
}

export function ObjectivesScreen() {
  const search = useSearch({ from: '/app/objectives' });
  const navigate = useNavigate({ from: '/app/objectives' });
  const mayCreate = useMay('createObjective');
  const { view = 'list', status, assignee, q, peek, create = false } = search;
  const filter: ObjectiveFilter = { status, assignee, q };
  const list = useObjectiveList(filter, view === 'list');
  const found = useMemo(() => withWords(list.objectives ?? [], q), [list.objectives, q]);
  const { data: roster } = useRoster();
  const assignees = useMemo(() => {
    const names = [
      ...(roster?.teammates ?? []).map(({ name }) => name as string),
      // Members who have left.
      ...(list.objectives ?? []).map((one) => one.assignee),
      ...(assignee === undefined ? [] : [assignee]),
    ];
    return [...new Set(names)].sort();
  }, [roster, list.objectives, assignee]);
  const set = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, replace: true });
  const open = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, ...openingLayer });
  const close = useClosingLayer();
  return (
    <Page
      title="Objectives"
      actions={
        <>
          <ViewSwitch view={view} onView={(next) => set({ view: next === 'list' ? undefined : next })} />
          {mayCreate ? (
            <Button
              look="primary"
              onClick={() => open({ create: true })}
              aria-keyshortcuts={keysOf('create-objective')}
            >
              <Plus className="size-4" />
              New objective
            </Button>
          ) : null}
        </>
      }
      toolbar={
        <>
          <ObjectiveFilters filter={filter} assignees={assignees} onFilter={(next) => set(next)} />
          <span role="status" className="text-sm text-soft">
            {summaryOf(found.length, list)}
          </span>
        </>
      }
    >
      {view === 'board' ? (
        <ObjectiveBoard filter={filter} />
      ) : (
        <FoundList
          list={list}
          q={q}
          objectives={found}
          onPeek={(id) => open({ peek: id })}
          nothing={
            <NothingFound
              isFiltered={q !== undefined || status !== undefined || assignee !== undefined}
              among={list.hasMore ? list.objectives?.length : undefined}
              mayCreate={mayCreate}
              onClear={() => set({ q: undefined, status: undefined, assignee: undefined })}
            />
          }
        />
      )}
      <CreateObjective isOpen={create && mayCreate} onClose={() => close(() => set({ create: undefined }))} />
      {peek === undefined ? null : (
        <ObjectivePeek id={peek} onClose={() => close(() => set({ peek: undefined }))} />
      )}
    </Page>
  );
}
