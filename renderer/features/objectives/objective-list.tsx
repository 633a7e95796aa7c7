/** Objectives as a list with keyboard navigation. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';

export interface ListProps {
  objectives: readonly Objective[];
  onPeek: (id: string) => void;
  /** What follows the last row. */
  end?: ReactNode;
}

/** Up and Down move, Enter opens, and Space opens the preview. */
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

function Row({ objective, onPeek }: { objective: Objective; onPeek: () => void }) {
  const { id, title, outcome, status, assignee, updatedAt } = objective;
  return (
    <Link
      to="/app/objectives/$id"
      params={{ id }}
      data-row
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
    </Link>
  );
}

export function ObjectiveList({ objectives, onPeek, end }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: objectives.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 56,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the links in it
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
              <Row objective={objective} onPeek={() => onPeek(objective.id)} />
            </li>
          );
        })}
      </ul>
      {end}
    </div>
  );
}
