/** Objectives as a board with one column per status. */
import { objectiveStatuses } from '#protocol/objective.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { nameOfStatus, StatusBadge } from '../../ui/badge.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import type { ListProps } from './objective-list.tsx';

const maxColumnRows = 100;

export function ObjectiveBoard({ objectives, onOpen }: ListProps) {
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
            aria-label={nameOfStatus(status)}
            className="flex min-h-0 min-w-0 flex-col rounded-lg bg-hover/60 p-2"
          >
            <h2 className="flex items-center justify-between px-1 pb-2">
              <StatusBadge status={status} />
              <span className="text-sm text-faint">{column.length}</span>
            </h2>
            <ul className="flex min-h-0 flex-col gap-2 overflow-y-auto">
              {column.slice(0, maxColumnRows).map((objective) => (
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
              {column.length > maxColumnRows ? (
                <li className="px-1 text-sm text-soft">
                  and {column.length - maxColumnRows} more in the list
                </li>
              ) : null}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
