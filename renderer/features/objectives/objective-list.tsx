/** Objectives as a list with keyboard navigation. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useRef } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { Time } from '../../ui/time.tsx';
import type { Line } from './arrangement.rules.ts';
import { shownGroupName } from './objective-filters.tsx';

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
}

function Row({ objective, onPeek, isSelected, onSelect }: RowProps) {
  const { id, title, outcome, status, assignee, updatedAt } = objective;
  return (
    <div
      className={cx(
        'flex h-14 border-b border-line hover:bg-hover focus-within:bg-selected',
        isSelected ? 'bg-selected' : 'bg-surface',
      )}
    >
      <label className="flex w-10 shrink-0 items-center justify-center">
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
        className="flex min-w-0 flex-1 items-center gap-3 pr-4 pl-1 text-left -outline-offset-2"
      >
        <span className="w-20 shrink-0">
          <StatusBadge status={status} />
        </span>
        <span className="min-w-0 flex-1">
          <span data-title className="block truncate font-medium">
            {title}
          </span>
          <span className="block truncate text-sm text-soft">{outcome}</span>
        </span>
        <span className="flex items-center gap-1.5 text-sm text-soft max-sm:hidden">
          <Avatar name={assignee} size="small" />
          {assignee}
        </span>
        <span className="w-28 text-right text-sm text-faint max-sm:hidden">
          <Time at={updatedAt} />
        </span>
      </Link>
    </div>
  );
}

function GroupHeading({ name, count }: { name: string; count: number }) {
  return (
    <h2 className="flex h-9 items-center gap-2 border-b border-line bg-sunken px-4 text-sm font-semibold">
      <span className="truncate" dir="auto">
        {shownGroupName(name)}
      </span>{' '}
      <span className="font-normal text-faint">{count}</span>
    </h2>
  );
}

const heightOf = (line: Line | undefined): number => (line?.kind === 'group' ? 36 : 56);

/** Up and Down move, Enter opens, Space opens the preview, and Shift extends the selection. */
export function ObjectiveList({ lines, onPeek, selected, onSelect, onClear, end }: ObjectiveListProps) {
  const scroller = useRef<HTMLDivElement>(null);
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
    <div ref={scroller} onKeyDown={onKeyDown} className="h-full overflow-y-auto">
      <ul aria-label="Objectives" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <li
              key={line.key}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {line.kind === 'group' ? (
                <GroupHeading name={line.name} count={line.count} />
              ) : (
                <Row
                  objective={line.objective}
                  onPeek={() => onPeek(line.objective.id)}
                  isSelected={selected.has(line.objective.id)}
                  onSelect={(isRange) => onSelect(line.objective.id, isRange)}
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
