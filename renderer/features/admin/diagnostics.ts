/** The broker's diagnostics as a hook, polled while they are visible. */
import { useQuery } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';

const everyMs = 5000;

export function useDiagnostics() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.diagnostics,
    queryFn: () => client.call('diagnostics', {}),
    staleTime: 0,
    refetchInterval: everyMs,
  });
}
