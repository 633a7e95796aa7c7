/** Objectives as a list or a board, with the filter in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, List, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { keysOf } from '../../commands/registry.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { hasStatus } from '../../data/objective-pages.rules.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { NeedsLine } from '../inbox/needs-here.tsx';
import { groupingOf, linesOf, sorted, statusOf } from './arrangement.rules.ts';
import { CreateObjective } from './create-objective.tsx';
import { FoundList, NothingFound, summaryOf } from './found-list.tsx';
import { aspectOf, isOfObjective } from './need.rules.ts';
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
        className={cx('max-sm:size-11', view === 'list' && 'bg-selected')}
        onClick={() => onView('list')}
      >
        <List />
      </IconButton>
      <IconButton
        label="Board"
        aria-pressed={view === 'board'}
        className={cx('max-sm:size-11', view === 'board' && 'bg-selected')}
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
  const self = useSelf().member;
  const mayCreate = useMay('createObjective');
  const { peek, create = false, ...view } = search;
  const { assignee, originator, q, sort } = view;
  const layout = view.view ?? 'list';
  const status = statusOf(view);
  const list = useObjectiveList({ status, assignee, originator }, layout === 'list');
  const found = useMemo(() => sorted(withWords(list.objectives ?? [], q), sort), [list.objectives, q, sort]);
  const group = groupingOf(view, found);
  const lines = useMemo(() => linesOf(found, group), [found, group]);
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
              className="max-sm:h-11"
              onClick={() => open({ create: true })}
              aria-keyshortcuts={keysOf('create-objective')}
            >
              <Plus className="size-4" />
              <span>
                New <span className="max-sm:sr-only">objective</span>
              </span>
            </Button>
          ) : null}
        </>
      }
      toolbar={
        <>
          <div className="-mx-4 -mt-2 flex w-[calc(100%+2rem)] items-center gap-4 border-b border-line px-4">
            <ObjectiveViews search={view} />
            <span role="status" className="ml-auto text-sm whitespace-nowrap text-soft max-sm:sr-only">
              {layout === 'list' ? summaryOf(found.length, list) : ''}
            </span>
          </div>
          <ObjectiveFilters search={view} members={members} onChange={set} />
          {/* The columns of a board load by themselves, so that it cannot say that nothing is needed. */}
          {layout === 'board' ? (
            <NeedsLine isHere={isOfObjective} hasSigns className="w-full" />
          ) : found.length === 0 ? null : (
            <NeedsLine
              isHere={(item) => found.some((one) => aspectOf(item, one) !== null)}
              hasSigns={found.some((one) => one.assignee === self && hasStatus(one.status, 'open'))}
              className="w-full"
            />
          )}
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
              view={view}
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
      <CreateObjective isOpen={create} onClose={() => close(() => set({ create: undefined }))} />
      {peek === undefined ? null : (
        <ObjectivePeek id={peek} onClose={() => close(() => set({ peek: undefined }))} />
      )}
    </Page>
  );
}
