/** Fetches the channels and their members again. */
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';

export function useRefreshChannels() {
  const cache = useQueryClient();
  return () => {
    void cache.invalidateQueries({ queryKey: keys.channels });
    void cache.invalidateQueries({ queryKey: ['channel'] });
  };
}
