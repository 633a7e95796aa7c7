/** Deletes a file, after a question. */
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { useRemovalNews } from './use-removal-news.ts';

export interface FileRemovalProps {
  path: string;
  onClose: () => void;
  /** Called when the file is deleted, in place of `onClose`. */
  onRemoved: () => void;
  /** True from the request on, unless it is refused, so that nothing asks for a file that may be gone. */
  isGoing?: RefObject<boolean>;
  /** Returns where the focus goes when the file is deleted. */
  focusAfter: (() => HTMLElement | null) | undefined;
}

export function FileRemoval({ path, onClose, onRemoved, isGoing, focusAfter }: FileRemovalProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  /** The question closes before the state of the request is rendered. */
  const ownGoing = useRef(false);
  const going = isGoing ?? ownGoing;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const remove = useMutation({
    mutationFn: () => {
      going.current = true;
      return client.call('removeFile', { query: { path } });
    },
    onSuccess: async () => {
      onRemoved();
      await cache.invalidateQueries({ queryKey: ['files'] });
    },
    onError: () => {
      going.current = false;
    },
  });
  const news = useRemovalNews(path, going);
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      consequence="The file is also deleted for everyone with whom it was shared. This cannot be undone."
      act={`Delete ${name}`}
      change={remove}
      news={news}
      onConfirm={() => remove.mutate()}
      focusAfter={() => (going.current ? (focusAfter?.() ?? null) : null)}
    />
  );
}
