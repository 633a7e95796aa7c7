/** The broker's diagnostics as a hook, polled while they are visible. */
import { useQuery } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/self.tsx';

/** Keeps its last answer for a member who may not read it anymore. */
export function useDiagnostics(everyMs = 5000) {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.diagnostics,
    queryFn: () => client.call('diagnostics', {}),
    enabled: useMay('diagnostics'),
    staleTime: 0,
    refetchInterval: everyMs,
  });
}
