/** Deletes a folder with everything in it, after a question that counts and names what is in it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { counted } from '#protocol/counted.ts';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { countFolder, type FolderCount } from './folder-count.ts';
import { useRemovalNews } from './use-removal-news.ts';

function Content({ count: { files, folders, names, isPart } }: { count: FolderCount }) {
  if (files + folders === 0) return <p>The folder is empty.</p>;
  const parts = [
    ...(files > 0 ? [counted(files, 'file')] : []),
    ...(folders > 0 ? [counted(folders, 'folder')] : []),
  ].join(' and ');
  const others = files + folders - names.length;
  return (
    <>
      <p>
        {isPart ? 'At least ' : ''}
        {parts} in it {files + folders === 1 ? 'is' : 'are'} deleted as well, for everyone with whom they were
        shared. This cannot be undone.
      </p>
      <ul className="mt-2 list-disc pl-5 text-sm">
        {names.map((name) => (
          <li key={name} className="break-all">
            <bdi>{name}</bdi>
          </li>
        ))}
        {others > 0 ? (
          <li>
            and {isPart ? 'at least ' : ''}
            {others} more
          </li>
        ) : null}
      </ul>
    </>
  );
}

export interface FolderRemovalProps {
  path: string;
  onClose: () => void;
  /** Called before anything is deleted, so that nothing asks for the folder when it is gone. */
  onStart: () => void;
  /** Returns where the focus goes when the folder is deleted. */
  focusAfter: () => HTMLElement | null;
}

export function FolderRemoval({ path, onClose, onStart, focusAfter }: FolderRemovalProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  /** The question closes before the state of the request is rendered. */
  const isRemoved = useRef(false);
  const isGoing = useRef(false);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { data: count, error } = useQuery({
    // Not below the key of files, because the folder cannot be counted again when it is deleted.
    queryKey: ['folderCount', path],
    queryFn: () => countFolder(client, path),
    staleTime: 0,
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => {
      isGoing.current = true;
      return client.call('removeFile', { query: { path, recursive: 'true' } });
    },
    onError: () => {
      isGoing.current = false;
    },
    onSuccess: async () => {
      toast(`The folder ${name} was deleted`);
      isRemoved.current = true;
      onClose();
      await cache.invalidateQueries({ queryKey: ['files'] });
    },
  });
  const news = useRemovalNews(path, isGoing);
  const entries = count === undefined ? 0 : count.files + count.folders;
  const more =
    count?.isPart === true
      ? ' and everything in it'
      : ` and ${count?.folders === 0 ? counted(entries, 'file') : counted(entries, 'entry', 'entries')}`;
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the folder ${name}?`}
      consequence={
        count !== undefined ? (
          <Content count={count} />
        ) : error === null ? (
          <p role="status">Counting what is in it…</p>
        ) : (
          <ErrorState error={error} />
        )
      }
      act={`Delete ${name}${entries === 0 ? '' : more}`}
      change={remove}
      isBusy={remove.isPending || count === undefined}
      news={news}
      onConfirm={() => {
        onStart();
        remove.mutate();
      }}
      focusAfter={() => (isRemoved.current ? focusAfter() : null)}
    />
  );
}
