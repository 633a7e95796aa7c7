/** A file: its content if that can be shown safely, who may read it and why, and its actions. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { isRefused, relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { fileSize } from '../../ui/file-size.rules.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { DownloadButton } from './download-button.tsx';
import { FileContent } from './file-content.tsx';
import { FileReaders } from './file-readers.tsx';
import { FileRemoval } from './file-removal.tsx';
import { MoveForm } from './move-form.tsx';

export interface FileDialogProps {
  path: string;
  onClose: (movedTo?: string) => void;
  /** Above the file. */
  toolbar?: ReactNode;
  /** Returns where the focus goes when the file was deleted. */
  focusAfter?: () => HTMLElement | null;
}

export function FileDialog({ path, onClose, toolbar, focusAfter }: FileDialogProps) {
  const { client } = useBroker();
  const self = useSelf().member;
  const [act, setAct] = useState<'move' | 'remove' | null>(null);
  /** The file is being deleted, or is gone. The news of that may come before the answer to the request. */
  const isGoing = useRef(false);
  const afterRemoval = () => (isGoing.current ? (focusAfter?.() ?? null) : null);
  const { data, error } = useQuery({
    queryKey: [...keys.fileEntries, path],
    queryFn: () => client.call('statFile', { query: { path } }),
    staleTime: 0,
    enabled: () => !isGoing.current,
  });
  // The cached entry of a file that is gone, or that the member may no longer read, is not shown.
  const entry = isRefused(error) ? undefined : data?.entry;
  const mayChange = useMay('removeFile', relationsToPath(path, self));
  return (
    <Dialog isOpen onClose={() => onClose()} title={entry?.name ?? path} wide focusAfter={afterRemoval}>
      {act === null ? toolbar : null}
      {entry === undefined ? (
        error === null ? (
          <Skeleton className="h-40 w-full" />
        ) : (
          <ErrorState error={error} />
        )
      ) : act === 'move' ? (
        <MoveForm entry={entry} onClose={(to) => (to === undefined ? setAct(null) : onClose(to))} />
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-sm text-soft">
            <span className="font-mono">{entry.path}</span> · {fileSize(entry.size ?? 0)} · {entry.mimeType} ·
            changed <Time at={entry.updatedAt} />
          </p>
          <FileContent entry={entry} />
          {mayChange ? (
            <section aria-label="Who can read this file">
              <h3 className="mb-1 font-semibold">Who can read this file, and why</h3>
              <FileReaders path={path} isGoing={isGoing} />
            </section>
          ) : null}
          <FormActions>
            <DownloadButton entry={entry} />
            {mayChange ? (
              <>
                <Button onClick={() => setAct('move')}>Move or rename</Button>
                <Button look="danger" onClick={() => setAct('remove')}>
                  Delete {entry.name}
                </Button>
              </>
            ) : null}
          </FormActions>
          {act === 'remove' ? (
            <FileRemoval
              path={path}
              onClose={() => setAct(null)}
              isGoing={isGoing}
              onRemoved={() => {
                setAct(null);
                onClose();
              }}
              focusAfter={focusAfter}
            />
          ) : null}
        </div>
      )}
    </Dialog>
  );
}
