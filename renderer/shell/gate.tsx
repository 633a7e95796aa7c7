/**
 * Decides what is shown before the screens: the login if there is no session, or a hint if the broker is not
 * set up.
 */
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import { useBroker } from '../data/broker.tsx';
import { keys } from '../data/keys.ts';
import { LiveProvider } from '../data/live.tsx';
import { refetch as fetchAgain } from '../data/make-change.ts';
import { useSession } from '../data/queries.ts';
import { SelfProvider } from '../data/self.tsx';
import { lazyScreen } from '../lazy-screen.ts';
import { Later } from '../ui/later.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { whenIdle } from '../when-idle.ts';
import { listenToOtherTabs } from './session-news.ts';

const Login = lazyScreen(() => import('./login.tsx'), 'Login');
const loadToasts = async () => (await import('../ui/toast-layer.tsx')).ToastLayer;
const loadLongPress = async () => (await import('../ui/long-press.tsx')).LongPress;
const loadHabits = async () => (await import('../ui/habits.ts')).Habits;
const loadPermissionNews = async () => (await import('./permission-news.ts')).PermissionNews;
const loadTooltips = async () => (await import('../ui/tooltip-layer.tsx')).TooltipLayer;

/** Loaded while the session is fetched. The login does not need it. */
const Shell = lazyScreen(() => import('./shell.tsx'), 'Shell');
void Shell.preload();

export function Gate() {
  const { data, error, isPending, refetch } = useSession();
  const cache = useQueryClient();
  const { client } = useBroker();
  // An answer in flight may be from before the news.
  useEffect(() => listenToOtherTabs(() => fetchAgain(cache, keys.session)), [cache]);
  const self = data?.member;
  useEffect(() => {
    if (self === undefined) return undefined;
    // If it fails, the next visit makes up for it.
    return whenIdle(() => {
      import('../data/web-push.ts').then(({ settlePush }) => settlePush(client, self)).catch(() => undefined);
    });
  }, [client, self]);
  // The approval window shows only its page.
  const isAlone = useRouterState({ select: (state) => state.location.pathname === '/app/approve' });
  // The page shows its first frame while there is nothing else.
  if (isPending) return null;
  if (error instanceof BrokerError && error.status === 401)
    return (
      <Suspense fallback={null}>
        <Login />
      </Suspense>
    );
  if (error instanceof BrokerError && error.reason === 'not_set_up')
    return (
      <main>
        <EmptyState isPage title="This broker is not set up yet">
          Open the setup link that the broker printed at startup. It ends in{' '}
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
    <SelfProvider self={data}>
      <LiveProvider key={data.member} self={data.member}>
        <Suspense fallback={null}>{isAlone ? <Outlet /> : <Shell />}</Suspense>
        <Later load={loadToasts} />
        <Later load={loadTooltips} />
        <Later load={loadLongPress} />
        <Later load={loadHabits} />
        <Later load={loadPermissionNews} />
      </LiveProvider>
    </SelfProvider>
  );
}
