/** Objectives as a list or a board, with the filter in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, List, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { keysOf } from '../../commands/registry.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { isFiltered, linesOf, sorted, statusOf } from './arrangement.rules.ts';
import { CreateObjective } from './create-objective.tsx';
import { FoundList, NothingFound, summaryOf } from './found-list.tsx';
import { ObjectiveBoard } from './objective-board.tsx';
import { withWords } from './objective-filter.ts';
import { ObjectiveFilters } from './objective-filters.tsx';
import { ObjectivePeek } from './objective-peek.tsx';
import { ObjectiveViews } from './objective-views.tsx';

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

export function ObjectivesScreen() {
  const search = useSearch({ from: '/app/objectives' });
  const navigate = useNavigate({ from: '/app/objectives' });
  const mayCreate = useMay('createObjective');
  const { peek, create = false, ...view } = search;
  const { assignee, originator, q, group, sort } = view;
  const layout = view.view ?? 'list';
  const status = statusOf(view);
  const list = useObjectiveList({ status, assignee, originator }, layout === 'list');
  const lines = useMemo(
    () => linesOf(sorted(withWords(list.objectives ?? [], q), sort), group),
    [list.objectives, q, sort, group],
  );
  const found = lines.filter(({ kind }) => kind === 'objective').length;
  const { data: roster } = useRoster();
  const members = useMemo(() => {
    const names = [
      ...(roster?.teammates ?? []).map(({ name }) => name as string),
      // Members who have left.
      ...(list.objectives ?? []).flatMap((one) => [one.assignee, one.originator]),
      ...[assignee, originator].filter((name) => name !== undefined),
    ];
    return [...new Set(names)].sort();
  }, [roster, list.objectives, assignee, originator]);
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
          <ViewSwitch view={layout} onView={(next) => set({ view: next === 'list' ? undefined : next })} />
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
          <ObjectiveViews search={view} />
          <ObjectiveFilters search={view} members={members} onChange={set} />
          <span role="status" className="text-sm text-soft">
            {layout === 'list' ? summaryOf(found, list) : ''}
          </span>
        </>
      }
    >
      {layout === 'board' ? (
        <ObjectiveBoard filter={{ status, assignee, originator, q }} sort={sort} />
      ) : (
        <FoundList
          list={list}
          q={q}
          isArranged={group !== undefined || sort !== undefined}
          lines={lines}
          onPeek={(id) => open({ peek: id })}
          nothing={
            <NothingFound
              isFiltered={isFiltered(view)}
              isOpenOnly={status === 'open'}
              among={list.hasMore ? list.objectives?.length : undefined}
              mayCreate={mayCreate}
              onClear={() =>
                set({ q: undefined, status: undefined, assignee: undefined, originator: undefined })
              }
              onAll={() => set({ status: 'any' })}
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
