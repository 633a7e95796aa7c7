/** Logs in with a code from an authenticator (specification/authentication.md#sessions). */
import { useQueryClient } from '@tanstack/react-query';
import { useBroker } from '../data/broker.tsx';
import { useMutation } from '../data/use-mutation.ts';
import { tellOtherTabs } from './session-news.ts';

export interface LogIn {
  /** As typed; spaces do not count. */
  code: string;
  /** Empty if the broker must find the member by the code. */
  member: string;
}

export function useLogIn() {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ code, member }: LogIn) =>
      client.call('logIn', {
        body: {
          code: code.replaceAll(/\s/g, ''),
          ...(member !== '' && { member }),
          ...(transport.session !== null && { bound: true, remember: true }),
        },
      }),
    onSuccess: ({ secret }) => {
      transport.session?.keep(secret);
      tellOtherTabs();
      return cache.resetQueries();
    },
  });
}
