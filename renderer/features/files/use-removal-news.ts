/** The news that make the question pointless whether to delete a file or a folder. */
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { mayNot } from '../../ui/meanwhile.tsx';

/** `isGoing`: true while the answer to the question itself deletes it. */
export function useRemovalNews(path: string, isGoing: RefObject<boolean>): string | undefined {
  const { client } = useBroker();
  const mayRemove = useMay('removeFile', relationsToPath(path, useSelf().member));
  const { error } = useQuery({
    queryKey: [...keys.fileEntries, path],
    queryFn: () => client.call('statFile', { query: { path } }),
    enabled: () => !isGoing.current,
  });
  if (!mayRemove) return mayNot;
  return error instanceof BrokerError && error.status === 404
    ? 'It is not there anymore: somebody deleted or moved it.'
    : undefined;
}
