/** The live stream drives the cache: nothing on the screen needs a reload. */
import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { applyEvent, type Change } from './apply-event.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import type { LiveState } from './transport.ts';

const LiveContext = createContext<LiveState>('connecting');
const events = ['message', 'ready', 'reset', 'receipt', 'presence', 'change'];

const togetherMs = 50;

/** An answer that was on its way when the event came may be from before it. */
function make(cache: QueryClient, change: Change): void {
  const { key } = change;
  if (change.kind === 'refetch') {
    void cache.invalidateQueries({ queryKey: key });
    return;
  }
  const apply = () =>
    cache.setQueryData(key, (held: unknown) => (held === undefined ? held : change.update(held as never)));
  const query = cache.getQueryCache().find({ queryKey: key, exact: true });
  const underWay = query?.state.fetchStatus === 'fetching' ? query.promise : undefined;
  apply();
  if (underWay === undefined) return;
  const again = () =>
    change.kind === 'count' ? void cache.invalidateQueries({ queryKey: key }) : void apply();
  underWay.then(again, again);
}

export function LiveProvider({ self, children }: { self: string; children: ReactNode }) {
  const { transport } = useBroker();
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    let wasLost = false;
    let waiting: { event: string; value: unknown }[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A hundred messages a second are drawn a few at a time.
    const flush = () => {
      timer = undefined;
      const all = waiting;
      waiting = [];
      notifyManager.batch(() => {
        for (const { event, value } of all)
          for (const change of applyEvent(event, value, self)) make(cache, change);
      });
    };
    const close = transport.open({
      url: `/subscribe?name=${encodeURIComponent(self)}&events=all`,
      events,
      onState(next) {
        setState(next);
        if (next === 'lost') wasLost = true;
        // Messages are resumed by the stream itself; passing news are not, so what they are about is asked for again.
        if (next === 'open' && wasLost) {
          wasLost = false;
          void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'thread' });
        }
        if (next === 'refused') void cache.invalidateQueries({ queryKey: keys.session });
      },
      onEvent({ event, data }) {
        waiting.push({ event, value: JSON.parse(data) });
        timer ??= setTimeout(flush, togetherMs);
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [transport, cache, self]);
  return <LiveContext value={state}>{children}</LiveContext>;
}

export const useLiveState = (): LiveState => use(LiveContext);
