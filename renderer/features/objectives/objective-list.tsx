/** Objectives as a list with keyboard navigation. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useRef } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { plainExcerpt } from '#protocol/plain-excerpt.ts';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { useSelf } from '../../data/self.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/class-names.ts';
import { nameOfStatus, StatusIcon } from '../../ui/status-icon.tsx';
import { Time } from '../../ui/time.tsx';
import type { Line } from './arrangement.rules.ts';
import { NeedsYou } from './needs-you.tsx';
import { reasonOf } from './state.rules.ts';
import { useNeeding } from './use-need.ts';

export interface ObjectiveListProps {
  lines: readonly Line[];
  onPeek: (id: string) => void;
  selected: ReadonlySet<string>;
  /** Selects the objective or leaves it out; with `isRange`, selects everything up to it. */
  onSelect: (id: string, isRange: boolean) => void;
  onClear: () => void;
  /** The content after the last row. */
  end?: ReactNode;
}

/** Returns the row to which Up or Down leads; undefined for another key, and at the end. */
function neighborOf({ key, currentTarget }: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return undefined;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row.closest('li')?.contains(document.activeElement));
  return rows[at + step] ?? (at < 0 ? rows[0] : undefined);
}

const focusedId = (): string | undefined =>
  document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-row]')?.dataset.row;

interface RowProps {
  objective: Objective;
  onPeek: () => void;
  isSelected: boolean;
  onSelect: (isRange: boolean) => void;
  isNeeding: boolean;
}

/** The columns of the list; its heads and its rows share them. */
const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 sm:grid-cols-[minmax(0,1fr)_9rem_7rem] xl:grid-cols-[minmax(0,1fr)_9rem_9rem_7rem]';

function Heads() {
  return (
    <div className="sticky top-0 z-10 border-b border-line bg-surface pl-11 text-xs font-medium text-soft max-sm:hidden">
      <div className={cx(columns, 'h-8 pr-4 pl-1')}>
        <span>Title</span>
        <span>Assignee</span>
        <span className="max-xl:hidden">Originator</span>
        <span className="text-right">Updated</span>
      </div>
    </div>
  );
}

const Member = ({ name, children }: { name: string; children?: ReactNode }) => (
  <>
    <Avatar name={name} size="small" />
    <span className="truncate">{name}</span>
    {children}
  </>
);

function Row({ objective, onPeek, isSelected, onSelect, isNeeding }: RowProps) {
  const { id, title, outcome, status, assignee, originator, updatedAt } = objective;
  const reason = reasonOf(objective);
  const isOwn = assignee === useSelf().member;
  return (
    <div
      data-press
      className={cx(
        'flex h-11 border-b border-line hover:bg-hover focus-within:bg-selected max-sm:h-auto max-sm:min-h-15',
        isSelected && 'bg-selected',
      )}
    >
      <label className="flex w-11 shrink-0 items-center justify-center">
        <input
          type="checkbox"
          aria-label={`Select “${title}”`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onSelect(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
          className="size-4 accent-(--accent)"
        />
      </label>
      <Link
        to="/app/objectives/$id"
        params={{ id }}
        data-row={id}
        onKeyDown={(event) => {
          if (event.key !== ' ') return;
          event.preventDefault();
          onPeek();
        }}
        className={cx(
          columns,
          'min-w-0 flex-1 pr-4 pl-1 text-left -outline-offset-2 max-sm:content-center max-sm:gap-y-0.5 max-sm:py-2',
        )}
      >
        <span className="flex min-w-0 items-center gap-x-2 max-sm:col-span-2 max-sm:flex-wrap max-sm:gap-y-0.5">
          <StatusIcon status={status} />
          <span data-title className="min-w-0 truncate font-medium max-sm:flex-1 sm:max-w-[65%] sm:shrink-0">
            {title}
          </span>
          <span
            data-outcome
            className={cx(
              'min-w-0 text-sm text-faint max-sm:line-clamp-2 max-sm:basis-full max-sm:pl-6 sm:flex-1 sm:truncate',
              !isNeeding && reason === null && 'max-sm:hidden',
            )}
          >
            {isNeeding ? <NeedsYou /> : null}
            <span className={cx(reason === null && 'max-sm:hidden')}>{plainExcerpt(reason ?? outcome)}</span>
          </span>
        </span>
        <span
          className={cx(
            'flex min-w-0 items-center gap-1.5 text-sm max-sm:pl-6',
            isOwn ? 'font-medium' : 'text-soft',
          )}
        >
          <Member name={assignee}>{isOwn ? <span className="shrink-0">(you)</span> : null}</Member>
        </span>
        <span className="flex min-w-0 items-center gap-1.5 text-sm text-soft max-xl:hidden">
          <Member name={originator} />
        </span>
        <span className="text-right text-sm text-faint">
          <Time at={updatedAt} />
        </span>
      </Link>
    </div>
  );
}

const isStatus = (name: string) => (objectiveStatuses as readonly string[]).includes(name);

function GroupHead({ name, count }: { name: string; count: number }) {
  return (
    <h2 className="flex h-9 items-center gap-2 border-b border-line bg-sunken pr-4 pl-12 text-sm font-semibold max-sm:pl-4">
      <span className={cx('truncate', isStatus(name) && 'inline-block first-letter:uppercase')} dir="auto">
        {name === 'cancelled' ? nameOfStatus(name) : name}
      </span>{' '}
      <span className="font-normal text-faint">{count}</span>
    </h2>
  );
}

/** Rows of a phone have two to four lines; each is measured when it is shown. */
const heightOf = (line: Line | undefined): number => (line?.kind === 'group' ? 36 : 44);

/** Up and Down move, Enter opens, Space opens the preview, and Shift extends the selection. */
export function ObjectiveList({ lines, onPeek, selected, onSelect, onClear, end }: ObjectiveListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNeeding = useNeeding();
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lines[index]),
    // New lines have to be measured again, because a heading is lower than an objective.
    getItemKey: useCallback((index: number) => lines[index]?.key ?? index, [lines]),
    overscan: 8,
  });
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const neighbor = neighborOf(event);
    if (neighbor !== undefined) {
      const from = focusedId();
      if (event.shiftKey && from !== undefined && selected.size === 0) onSelect(from, false);
      if (event.shiftKey) onSelect(neighbor.dataset.row ?? '', true);
      neighbor.focus();
    } else if (event.shiftKey && event.key.toLowerCase() === 'x' && focusedId() !== undefined)
      onSelect(focusedId() ?? '', true);
    else if (event.key === 'Escape' && selected.size > 0) onClear();
    else return;
    event.preventDefault();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the links in it
    <div ref={scroller} onKeyDown={onKeyDown} className="h-full scroll-pt-9 overflow-y-auto bg-surface">
      <Heads />
      <ul aria-label="Objectives" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <li
              key={line.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {line.kind === 'group' ? (
                <GroupHead name={line.name} count={line.count} />
              ) : (
                <Row
                  objective={line.objective}
                  onPeek={() => onPeek(line.objective.id)}
                  isSelected={selected.has(line.objective.id)}
                  onSelect={(isRange) => onSelect(line.objective.id, isRange)}
                  isNeeding={isNeeding(line.objective)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {end}
    </div>
  );
}
