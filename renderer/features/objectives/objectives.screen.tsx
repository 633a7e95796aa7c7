/** Objectives as a list or a board, with the filter in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, List, Plus, Target } from 'lucide-react';
import { useMemo } from 'react';
import { keysOf } from '../../commands/registry.ts';
import { useObjectives } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { CreateObjective } from './create-objective.tsx';
import { ObjectiveBoard } from './objective-board.tsx';
import { filterObjectives } from './objective-filter.ts';
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
  mayCreate,
  onClear,
}: {
  isFiltered: boolean;
  mayCreate: boolean;
  onClear: () => void;
}) {
  if (isFiltered)
    return (
      <EmptyState
        icon={<Target />}
        title="No objective matches the filter"
        action={<Button onClick={onClear}>Clear the filter</Button>}
      />
    );
  return (
    <EmptyState icon={<Target />} title="No objectives yet">
      {mayCreate
        ? 'An objective says who is to achieve which outcome. Create the first one here, or with “npx svc objectives create”.'
        : 'Members with objectives.create can create them.'}
    </EmptyState>
  );
}

export function ObjectivesScreen() {
  const search = useSearch({ from: '/app/objectives' });
  const navigate = useNavigate({ from: '/app/objectives' });
  const { data, error, refetch } = useObjectives();
  const mayCreate = useMay('createObjective');
  const { view = 'list', status, assignee, q, peek, create = false } = search;
  const all = data?.objectives;
  const found = useMemo(
    () => filterObjectives(all ?? [], { status, assignee, q }),
    [all, status, assignee, q],
  );
  const assignees = useMemo(() => [...new Set((all ?? []).map((one) => one.assignee))].sort(), [all]);
  const set = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, replace: true });
  const open = (id: string) => void navigate({ to: '/app/objectives/$id', params: { id } });
  const listProps: ListProps = { objectives: found, onOpen: open, onPeek: (id) => set({ peek: id }) };
  return (
    <Page
      title="Objectives"
      actions={
        <>
          <ViewSwitch view={view} onView={(next) => set({ view: next === 'list' ? undefined : next })} />
          {mayCreate ? (
            <Button
              look="primary"
              onClick={() => set({ create: true })}
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
          <ObjectiveFilters
            filter={{ status, assignee, q }}
            assignees={assignees}
            onFilter={(next) => set(next)}
          />
          <span role="status" className="text-sm text-soft">
            {all === undefined ? '' : `${found.length} of ${all.length}`}
          </span>
        </>
      }
    >
      {error !== null && all === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {all === undefined && error === null ? <ListSkeleton /> : null}
      {all !== undefined && found.length === 0 ? (
        <NothingFound
          isFiltered={all.length > 0}
          mayCreate={mayCreate}
          onClear={() => set({ q: undefined, status: undefined, assignee: undefined })}
        />
      ) : null}
      {found.length === 0 ? null : view === 'board' ? (
        <ObjectiveBoard {...listProps} />
      ) : (
        <ObjectiveList {...listProps} />
      )}
      <CreateObjective isOpen={create && mayCreate} onClose={() => set({ create: undefined })} />
      {peek === undefined ? null : (
        <ObjectivePeek id={peek} onClose={() => set({ peek: undefined })} onOpen={() => open(peek)} />
      )}
    </Page>
  );
}
