/** Saves a file to this computer. The page loads the bytes, because a link could not prove the session. */
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { Button } from '../../ui/button.tsx';
import { toastError } from '../../ui/toast.ts';

/** The browser has begun to save by then. */
const keptMs = 60_000;

/** The type of the file does not matter for saving, and a page of a member must never open as one of this origin. */
function save(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes.slice(0, bytes.size, 'application/octet-stream'));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs);
}

export function DownloadButton({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const [percent, setPercent] = useState(0);
  const left = useRef<AbortController>(undefined);
  const download = useMutation({
    mutationFn: async () => {
      setPercent(0);
      left.current = new AbortController();
      const note = (done: number) => setPercent(Math.floor(done * 100));
      save(await transport.readFile(entry.path, note, left.current.signal), entry.name);
    },
    onError: (error) => {
      if (error.name !== 'AbortError') toastError(error);
    },
  });
  useEffect(() => () => left.current?.abort(), []);
  return (
    <Button isBusy={download.isPending} onClick={() => download.mutate()}>
      <Download className="size-4" />
      {download.isPending ? `Downloading ${percent} %` : 'Download'}
    </Button>
  );
}
