/** The app: the providers around the router. */

import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { BrokerProvider } from './data/broker.tsx';
import { isRefused } from './data/rights.ts';
import type { Transport } from './data/transport.ts';
import { router } from './router.ts';

/** Live events keep the cache fresh, so nothing is fetched again only because time passed. */
const cache = new QueryClient({
  defaultOptions: {
    // The broker may be on this machine or in the local network, so the browser's online state says nothing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 30 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      retry: (failures, error) => !isRefused(error) && failures < 3,
    },
  },
});

export function App({ transport }: { transport: Transport }) {
  return (
    // The policy of the page allows no style elements, and Base UI needs its own only for arrows that scroll.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={cache}>
        <BrokerProvider transport={transport}>
          <RouterProvider router={router} />
        </BrokerProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
