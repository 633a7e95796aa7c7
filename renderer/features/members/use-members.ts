/** Returns every member; operators get the private part, too. */
import { useQuery } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';

export function useMembers() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.members, queryFn: () => client.call('members', {}) });
}
