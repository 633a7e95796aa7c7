/** Releases a held post (docs/specification/messages.md#held-posts). */
import { useQueryClient } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { toast } from '../../ui/toast.ts';
import { releasePost } from './dropping.ts';

export function useReleasePost() {
  const { client } = useBroker();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => releasePost(client, id),
    onSuccess: () => toast('The post was released'),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: keys.held }),
        cache.invalidateQueries({ queryKey: keys.inbox }),
      ]),
  });
}
