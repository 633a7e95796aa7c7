/** The files and folders of one folder. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { File as FileIcon, Folder, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { IconButton } from '../../ui/button.tsx';
import { fileSize } from '../../ui/file-size.rules.ts';
import { openingLayer } from '../../ui/layers.ts';
import { Time } from '../../ui/time.tsx';

export function EntryList({
  entries,
  onRemoveFolder,
  end,
}: {
  entries: readonly FsEntry[];
  /** Undefined if the member may not delete these folders. */
  onRemoveFolder: ((path: string) => void) | undefined;
  /** What follows the last entry. */
  end: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 41,
    overscan: 8,
  });
  return (
    <div ref={scroller} className="h-full overflow-y-auto">
      <ul aria-label="Files" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const entry = entries[item.index];
          if (entry === undefined) return null;
          return (
            <li
              key={entry.path}
              className="absolute top-0 left-0 flex w-full border-b border-line bg-surface hover:bg-hover"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Link
                to="/app/files"
                data-entry={entry.path}
                {...(entry.kind === 'directory'
                  ? { search: { path: entry.path } }
                  : { search: (search) => ({ ...search, file: entry.path }), ...openingLayer })}
                className="flex h-10 min-w-0 flex-1 items-center gap-3 px-4 text-left -outline-offset-2"
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
              {onRemoveFolder === undefined ? null : (
                <span className="flex w-10 shrink-0 items-center">
                  {entry.kind === 'directory' ? (
                    <IconButton
                      label={`Delete the folder ${entry.name}`}
                      onClick={() => onRemoveFolder(entry.path)}
                    >
                      <Trash2 />
                    </IconButton>
                  ) : null}
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
