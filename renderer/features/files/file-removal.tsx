/** Deletes a file, after a question. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/states.tsx';

export interface FileRemovalProps {
  path: string;
  onClose: () => void;
  /** Called when the file is deleted, in place of `onClose`. */
  onRemoved: () => void;
  /** Returns where the focus goes when the file is deleted. */
  focusAfter: (() => HTMLElement | null) | undefined;
}

export function FileRemoval({ path, onClose, onRemoved, focusAfter }: FileRemovalProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  /** The question closes before the state of the request is rendered. */
  const isRemoved = useRef(false);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const remove = useMutation({
    mutationFn: () => client.call('removeFile', { query: { path } }),
    onSuccess: async () => {
      isRemoved.current = true;
      onRemoved();
      // A dialog of the file is still shown for a moment, and must not ask for the file again.
      const isOther = ({ queryKey }: { queryKey: readonly unknown[] }) => !queryKey.includes(path);
      await cache.invalidateQueries({ queryKey: ['files'], predicate: isOther });
    },
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      consequence="The file is also deleted for everyone with whom it was shared. This cannot be undone."
      act={`Delete ${name}`}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      focusAfter={() => (isRemoved.current ? (focusAfter?.() ?? null) : null)}
    >
      <FormError error={remove.error} />
    </Confirm>
  );
}
