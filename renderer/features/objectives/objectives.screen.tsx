/** Objectives as a list or a board, with the filter in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Columns3, List, Plus, Target } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { type Objective, objectiveStatuses } from '#protocol/objective.ts';
import { keysOf } from '../../commands/registry.ts';
import { useMay, useObjective, useObjectives } from '../../data/queries.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { inputClass, SearchInput } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateObjective } from './create-objective.tsx';
import { ObjectiveActs } from './objective-acts.tsx';
import { ObjectiveFacts, Outcome, Timeline } from './objective-detail.tsx';
import { filterObjectives } from './objective-filter.ts';

interface ListProps {
  objectives: readonly Objective[];
  onOpen: (id: string) => void;
  onPeek: (id: string) => void;
}

/** Up and down move, Enter opens, space peeks. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at + step] ?? (at < 0 ? rows[0] : undefined);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function Row({
  objective,
  onOpen,
  onPeek,
}: {
  objective: Objective;
  onOpen: () => void;
  onPeek: () => void;
}) {
  const { title, outcome, status, assignee, updatedAt } = objective;
  return (
    <button
      type="button"
      data-row
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key !== ' ') return;
        event.preventDefault();
        onPeek();
      }}
      className="flex h-14 w-full items-center gap-3 border-b border-line bg-surface px-4 text-left hover:bg-hover focus-visible:bg-selected"
    >
      <span className="w-20 shrink-0">
        <StatusBadge status={status} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-soft">{outcome}</span>
      </span>
      <span className="flex items-center gap-1.5 text-sm text-soft max-sm:hidden">
        <Avatar name={assignee} size="small" />
        {assignee}
      </span>
      <span className="w-28 text-right text-sm text-faint max-sm:hidden">
        <Time at={updatedAt} />
      </span>
    </button>
  );
}

function ObjectiveList({ objectives, onOpen, onPeek }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: objectives.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 56,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the buttons in it
    <div ref={scroller} onKeyDown={moveFocus} className="h-full overflow-y-auto">
      <ul aria-label="Objectives" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const objective = objectives[item.index];
          if (objective === undefined) return null;
          return (
            <li
              key={objective.id}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Row
                objective={objective}
                onOpen={() => onOpen(objective.id)}
                onPeek={() => onPeek(objective.id)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const columnShown = 100;

function Board({ objectives, onOpen }: ListProps) {
  return (
    <div
      {...scrollable('Board', 'region')}
      className="grid h-full auto-cols-[minmax(15rem,1fr)] grid-flow-col gap-3 overflow-x-auto p-4"
    >
      {objectiveStatuses.map((status) => {
        const column = objectives.filter((objective) => objective.status === status);
        return (
          <section
            key={status}
            aria-label={status}
            className="flex min-h-0 min-w-0 flex-col rounded-lg bg-hover/60 p-2"
          >
            <h2 className="flex items-center justify-between px-1 pb-2">
              <StatusBadge status={status} />
              <span className="text-sm text-faint">{column.length}</span>
            </h2>
            <ul className="flex min-h-0 flex-col gap-2 overflow-y-auto">
              {column.slice(0, columnShown).map((objective) => (
                <li key={objective.id}>
                  <button
                    type="button"
                    onClick={() => onOpen(objective.id)}
                    className="flex w-full flex-col gap-1 rounded-md border border-line bg-surface px-3 py-2 text-left hover:border-line-strong"
                  >
                    <span className="font-medium">{objective.title}</span>
                    <span className="line-clamp-2 text-sm text-soft">
                      {objective.blockReason ?? objective.outcome}
                    </span>
                    <span className="flex items-center gap-1.5 text-sm text-soft">
                      <Avatar name={objective.assignee} size="small" />
                      {objective.assignee}
                    </span>
                  </button>
                </li>
              ))}
              {column.length > columnShown ? (
                <li className="px-1 text-sm text-soft">and {column.length - columnShown} more in the list</li>
              ) : null}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function Peek({ id, onClose, onOpen }: { id: string; onClose: () => void; onOpen: () => void }) {
  const { data, error, refetch } = useObjective(id);
  return (
    <Dialog isOpen onClose={onClose} title={data?.objective.title ?? 'Objective'} wide>
      {data === undefined ? (
        error === null ? (
          <ListSkeleton />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-2">
            <StatusBadge status={data.objective.status} />
            <span className="flex-1" />
            <ObjectiveActs objective={data.objective} />
            <Button onClick={onOpen}>Open</Button>
          </div>
          <Outcome objective={data.objective} />
          <ObjectiveFacts objective={data.objective} />
          <Timeline events={data.events} />
        </div>
      )}
    </Dialog>
  );
}

export function ObjectivesScreen() {
  const search = useSearch({ from: '/app/objectives' });
  const navigate = useNavigate({ from: '/app/objectives' });
  const { data, error, refetch } = useObjectives();
  const mayCreate = useMay('objectives.create');
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
          <IconButton
            label="List"
            aria-pressed={view === 'list'}
            className={cx(view === 'list' && 'bg-selected')}
            onClick={() => set({ view: undefined })}
          >
            <List />
          </IconButton>
          <IconButton
            label="Board"
            aria-pressed={view === 'board'}
            className={cx(view === 'board' && 'bg-selected')}
            onClick={() => set({ view: 'board' })}
          >
            <Columns3 />
          </IconButton>
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
          <SearchInput
            label="Filter objectives"
            value={q ?? ''}
            onText={(text) => set({ q: text || undefined })}
            className="w-56 max-sm:w-full"
          />
          <select
            aria-label="Status"
            value={status ?? ''}
            onChange={(event) => set({ status: (event.target.value || undefined) as typeof status })}
            className={cx(inputClass, 'h-8')}
          >
            <option value="">Any status</option>
            <option value="open">Open</option>
            {objectiveStatuses.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <select
            aria-label="Assignee"
            value={assignee ?? ''}
            onChange={(event) => set({ assignee: event.target.value || undefined })}
            className={cx(inputClass, 'h-8')}
          >
            <option value="">Anybody</option>
            {assignees.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
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
      {all?.length === 0 ? (
        <EmptyState icon={<Target />} title="No objectives yet">
          {mayCreate
            ? 'An objective says who reaches which outcome. Create the first one here, or with “npx svc objectives create”.'
            : 'Members with objectives.create make them.'}
        </EmptyState>
      ) : null}
      {all !== undefined && all.length > 0 && found.length === 0 ? (
        <EmptyState
          icon={<Target />}
          title="Nothing fits the filter"
          action={
            <Button onClick={() => set({ q: undefined, status: undefined, assignee: undefined })}>
              Clear the filter
            </Button>
          }
        />
      ) : null}
      {found.length === 0 ? null : view === 'board' ? (
        <Board {...listProps} />
      ) : (
        <ObjectiveList {...listProps} />
      )}
      <CreateObjective isOpen={create && mayCreate} onClose={() => set({ create: undefined })} />
      {peek === undefined ? null : (
        <Peek id={peek} onClose={() => set({ peek: undefined })} onOpen={() => open(peek)} />
      )}
    </Page>
  );
}
