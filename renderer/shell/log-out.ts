/**
 * Logs out, which also turns this browser's notifications off. If it fails, an error is shown and the member
 * stays logged in.
 */
import { useQueryClient } from '@tanstack/react-query';
import { BrokerError } from '#protocol/errors.ts';
import { useBroker } from '../data/broker.tsx';
import { useMutation } from '../data/use-mutation.ts';
import { toastError } from '../ui/toast.ts';
import { tellOtherTabs } from './session-news.ts';

export function useLogOut() {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await import('../data/web-push.ts')
        .then(({ turnPushOff }) => turnPushOff(client))
        .catch(() => undefined);
      await client.call('logOut', {}).catch((error: unknown) => {
        // The session has already ended.
        if (!(error instanceof BrokerError && error.status === 401)) throw error;
      });
    },
    onSuccess: () => {
      transport.session?.forget();
      tellOtherTabs();
      return cache.resetQueries();
    },
    onError: toastError,
  });
}
