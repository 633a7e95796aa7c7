/** Before the screens: is there a session, and a broker that is set up? */
import { useQueryClient } from '@tanstack/react-query';
import { BrokerError } from '#protocol/errors.ts';
import { LiveProvider } from '../data/live.tsx';
import { useSession } from '../data/queries.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../ui/states.tsx';
import { Login } from './login.tsx';
import { Shell } from './shell.tsx';

export function Gate() {
  const { data, error, isPending, refetch } = useSession();
  const cache = useQueryClient();
  if (isPending) return <ListSkeleton />;
  if (error instanceof BrokerError && error.status === 401) return <Login />;
  if (error instanceof BrokerError && error.status === 503)
    return (
      <main>
        <EmptyState title="This broker is not set up yet">
          Open the set-up link that it printed at start: it ends in{' '}
          <code className="font-mono">/setup#key=…</code>
        </EmptyState>
      </main>
    );
  if (data === undefined)
    return (
      <main>
        <ErrorState error={error} onRetry={() => void refetch().then(() => cache.invalidateQueries())} />
      </main>
    );
  return (
    <LiveProvider self={data.member}>
      <Shell />
    </LiveProvider>
  );
}
