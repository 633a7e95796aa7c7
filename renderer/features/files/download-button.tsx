/** Saves a file to this computer. The page loads the bytes, because a link could not prove the session. */
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toastError } from '../../ui/toast.ts';

export function DownloadButton({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const [percent, setPercent] = useState(0);
  const left = useRef<AbortController>(undefined);
  const download = useMutation({
    mutationFn: async () => {
      setPercent(0);
      left.current = new AbortController();
      const note = (done: number) => setPercent(Math.floor(done * 100));
      saveFile(await transport.readFile(entry.path, note, left.current.signal), entry.name);
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
