/** An image of the team's files. The page loads its bytes, because an `img` could not prove the session. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';

export function FileImage({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const { data, error } = useQuery({
    queryKey: ['fileBytes', entry.path, entry.hash],
    queryFn: ({ signal }) => transport.readFile(entry.path, () => undefined, signal),
    // It may be large, and it is gone from memory with the dialog.
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined) return undefined;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (error !== null) return <ErrorState error={error} />;
  if (url === undefined) return <Skeleton className="h-40 w-full" />;
  return (
    <img src={url} alt={entry.name} className="max-h-96 max-w-full self-center rounded-md object-contain" />
  );
}
