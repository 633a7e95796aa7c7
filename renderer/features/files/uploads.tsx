/** Uploads with progress, one after another; each can be stopped. */
import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { randomId } from '../../data/random-id.ts';
import { uploadFile } from '../../data/upload-file.ts';
import { IconButton } from '../../ui/button.tsx';
import { sentenceOf } from '../../ui/sentence-of.ts';
import { toast } from '../../ui/toast.ts';

interface Upload {
  id: string;
  name: string;
  progress: number;
  error: string | null;
  abort: AbortController;
}

export function useUploads(directory: string) {
  const { transport } = useBroker();
  const cache = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const turn = useRef(Promise.resolve());
  // Uploads continue when the person leaves the screen; a failure then shows as a toast.
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const change = (id: string, over: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...over } : one)));
  const drop = (id: string) => setUploads((all) => all.filter((one) => one.id !== id));

  async function send(upload: Upload, file: File, into: string): Promise<void> {
    if (upload.abort.signal.aborted) return;
    try {
      await uploadFile(
        transport,
        into,
        file,
        (progress) => change(upload.id, { progress }),
        upload.abort.signal,
      );
      drop(upload.id);
      await cache.invalidateQueries({ queryKey: ['files'] });
    } catch (error) {
      if (upload.abort.signal.aborted) drop(upload.id);
      else if (isHere.current) change(upload.id, { error: sentenceOf(error) });
      else toast(`${upload.name} could not be uploaded`, sentenceOf(error));
    }
  }

  function add(files: Iterable<File>): void {
    for (const file of files) {
      const upload: Upload = {
        id: randomId(),
        name: file.name,
        progress: 0,
        error: null,
        abort: new AbortController(),
      };
      setUploads((all) => [...all, upload]);
      turn.current = turn.current.then(() => send(upload, file, directory));
    }
  }
  function remove(id: string): void {
    uploads.find((one) => one.id === id)?.abort.abort();
    drop(id);
  }
  return { uploads, add, remove };
}

export function UploadList({
  uploads,
  onRemove,
}: {
  uploads: readonly Upload[];
  onRemove: (id: string) => void;
}) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label="Uploads" className="border-b border-line bg-surface px-4 py-2">
      {uploads.map(({ id, name, progress, error }) => (
        <li key={id} className="flex items-center gap-3 py-0.5">
          <span className="min-w-0 flex-1 truncate">{name}</span>
          {error === null ? (
            <progress aria-label={`Uploading ${name}`} value={progress} className="h-1.5 w-32" />
          ) : (
            <span role="alert" className="text-sm text-critical">
              {error}
            </span>
          )}
          <IconButton
            label={error === null ? `Stop ${name}` : `Dismiss ${name}`}
            onClick={() => onRemove(id)}
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
