/** The entries of a folder, or the shared files, or why there are none. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Folder } from 'lucide-react';
import { isRefusedFor } from '#protocol/errors.ts';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { isRefused } from '../../data/rights.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { EntryList } from './entry-list.tsx';
import { inOrder } from './entry-order.rules.ts';

const pageSize = 200;

/** The entries of a folder, or the shared files, by path, page by page. */
function useEntries(path: string, isShared: boolean) {
  const { client } = useBroker();
  return useInfiniteQuery({
    queryKey: isShared ? keys.sharedFiles : keys.files(path),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after }) => {
      const page = { limit: String(pageSize), after };
      return isShared
        ? client.call('sharedFiles', { query: page })
        : client.call('listFiles', { query: { path, ...page } });
    },
    retry: (failures, error) => !isRefused(error) && !isRefusedFor(error, 'files_off') && failures < 3,
    getNextPageParam: ({ entries }) => (entries.length === pageSize ? entries.at(-1)?.path : undefined),
  });
}

export interface FolderContentProps {
  path: string;
  /** Shows the files that are shared with the member instead of a folder. */
  isShared: boolean;
  mayWrite: boolean;
  /** Asks whether to delete a folder or a file. */
  onRemove: (entry: FsEntry) => void;
}

export function FolderContent({ path, isShared, mayWrite, onRemove }: FolderContentProps) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useEntries(path, isShared);
  const { by = 'name', down = false } = useSearch({ from: '/app/files' });
  const order = { by, isDescending: down };
  if (isRefusedFor(error, 'files_off'))
    return (
      <EmptyState title="This broker does not store files">
        Its configuration has no files block. Add one with a root folder, and restart the broker.
      </EmptyState>
    );
  if (error !== null && (data === undefined || isRefused(error)))
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <ListSkeleton />;
  const entries = inOrder(
    data.pages.flatMap((page) => page.entries),
    order,
  );
  if (entries.length === 0) return <EmptyFolder isShared={isShared} mayWrite={mayWrite} />;
  const end = hasNextPage ? (
    <LoadMore
      isLoading={isFetchingNextPage}
      onMore={() => void fetchNextPage({ cancelRefetch: false })}
      error={error}
    >
      The first {entries.length} entries by name are loaded, and sorted among themselves.
    </LoadMore>
  ) : null;
  return (
    <div className="min-h-0 flex-1">
      <EntryList entries={entries} order={order} onRemove={mayWrite ? onRemove : undefined} end={end} />
    </div>
  );
}

function EmptyFolder({ isShared, mayWrite }: { isShared: boolean; mayWrite: boolean }) {
  if (isShared)
    return (
      <EmptyState icon={<Folder />} title="No shared files">
        Files appear here when someone attaches them to a message or an objective for you.
      </EmptyState>
    );
  return (
    <EmptyState icon={<Folder />} title="No files">
      {mayWrite
        ? 'Drop files here, or upload them. Other members cannot read them until you attach them to a message.'
        : 'This folder is empty.'}
    </EmptyState>
  );
}
