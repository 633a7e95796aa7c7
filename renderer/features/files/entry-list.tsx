/** The files and folders of one folder. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, File as FileIcon, Folder, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { fileSize } from '../../ui/file-size.rules.ts';
import { openingLayer } from '../../ui/layers.ts';
import { Time } from '../../ui/time.tsx';
import { type Column, columns, type EntryOrder, nextOrder } from './entry-order.rules.ts';

const looks: Record<Column, { title: string; className: string }> = {
  name: { title: 'Name', className: 'min-w-0 flex-1' },
  owner: { title: 'Owner', className: 'w-32 justify-end max-sm:hidden' },
  size: { title: 'Size', className: 'w-24 justify-end' },
  changed: { title: 'Changed', className: 'w-28 justify-end max-md:hidden' },
};

/** As the address has it. */
const searchOf = ({ by, isDescending }: EntryOrder) => ({
  by: by === 'name' ? undefined : by,
  down: isDescending || undefined,
});

/** Each sorts by its column, and turns the order around when it is pressed again. */
function Headings({ order, hasActions }: { order: EntryOrder; hasActions: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form field is in it
    <div
      role="group"
      aria-label="Order of the files"
      className="sticky top-0 z-10 flex border-b border-line bg-surface text-sm text-soft"
    >
      <div className="flex h-9 min-w-0 flex-1 items-center gap-3 pr-4 pl-11 max-md:h-11">
        {columns.map((column) => {
          const isCurrent = column === order.by;
          const next = nextOrder(order, column);
          return (
            <Link
              key={column}
              to="/app/files"
              search={(search) => ({ ...search, ...searchOf(next) })}
              replace
              aria-label={`Sort by ${looks[column].title.toLowerCase()}, ${next.isDescending ? 'descending' : 'ascending'}`}
              aria-current={isCurrent ? 'true' : undefined}
              className={cx(
                'inline-flex h-7 items-center gap-1 hover:text-text [&_svg]:size-3.5',
                looks[column].className,
              )}
            >
              {looks[column].title}
              {isCurrent ? order.isDescending ? <ArrowDown /> : <ArrowUp /> : null}
            </Link>
          );
        })}
      </div>
      {hasActions ? <span className="w-10 shrink-0 max-md:w-12" /> : null}
    </div>
  );
}

export function EntryList({
  entries,
  order,
  onRemove,
  end,
}: {
  entries: readonly FsEntry[];
  order: EntryOrder;
  /** Undefined if the member may not delete these entries. */
  onRemove: ((entry: FsEntry) => void) | undefined;
  /** The content after the last entry. */
  end: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 45,
    overscan: 8,
    // Rendering and painting are two tasks instead of one long one.
    useFlushSync: false,
  });
  return (
    <div ref={scroller} className="h-full overflow-y-auto">
      <Headings order={order} hasActions={onRemove !== undefined} />
      <ul aria-label="Files" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const entry = entries[item.index];
          if (entry === undefined) return null;
          return (
            <li
              key={entry.path}
              data-press
              className="absolute top-0 left-0 flex w-full border-b border-line bg-surface hover:bg-hover"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Link
                to="/app/files"
                data-entry={entry.path}
                {...(entry.kind === 'directory'
                  ? { search: { path: entry.path, ...searchOf(order) } }
                  : { search: (search) => ({ ...search, file: entry.path }), ...openingLayer })}
                className="flex h-11 min-w-0 flex-1 items-center gap-3 px-4 text-left -outline-offset-2"
              >
                {entry.kind === 'directory' ? (
                  <Folder className="size-4 text-accent" />
                ) : (
                  <FileIcon className="size-4 text-faint" />
                )}
                <span className="min-w-0 flex-1 truncate">{entry.name}</span>
                <span className="w-32 truncate text-right text-sm text-soft max-sm:hidden">
                  {entry.owner}
                </span>
                <span className="w-24 text-right text-sm text-soft tabular-nums">
                  {entry.size === null ? '' : fileSize(entry.size)}
                </span>
                <span className="w-28 text-right text-sm text-faint max-md:hidden">
                  <Time at={entry.updatedAt} />
                </span>
              </Link>
              {onRemove === undefined ? null : (
                <span data-actions className="flex w-10 shrink-0 items-center max-md:w-12">
                  <IconButton
                    label={`Delete the ${entry.kind === 'directory' ? 'folder' : 'file'} ${entry.name}`}
                    onClick={() => onRemove(entry)}
                  >
                    <Trash2 />
                  </IconButton>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {end}
    </div>
  );
}
