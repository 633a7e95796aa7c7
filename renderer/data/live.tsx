/** Applies the live stream to the cache, so that no screen needs a reload. */
import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { applyEvent } from './apply-event.ts';
import { BrokerProvider, useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { apply, refetch } from './make-change.ts';
import { createRefresher } from './refresher.ts';
import { openSteadily } from './steady-stream.ts';
import type { LiveEvent, LiveState, Transport } from './transport.ts';

const LiveContext = createContext<LiveState>('connecting');
const events = ['message', 'reset', 'receipt', 'receipts', 'presence', 'change'];

/** An event that comes after a pause is applied sooner than those of a burst. */
const pauseMs = 50;
const burstMs = 100;
/** The longest wait for a frame, ms. A page that nobody sees draws none. */
const frameMs = 100;

/**
 * Applies events to the cache in batches, because there may be hundreds of messages per second. A batch begins with a frame,
 * so that drawing it delays no other one.
 */
function createSink(cache: QueryClient, self: string) {
  const lists = [keys.objectives, keys.inbox].map((key) => ({ key, ...createRefresher(cache, key) }));
  let waiting: { event: string; value: unknown }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let flushedAt = Number.NEGATIVE_INFINITY;
  function stopWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    cancelAnimationFrame(frame);
  }
  function flushInFrame(): void {
    frame = requestAnimationFrame(flush);
    timer = setTimeout(flush, frameMs);
  }
  function flush(): void {
    stopWaiting();
    flushedAt = performance.now();
    const all = waiting;
    waiting = [];
    const refetched = new Set<string>();
    notifyManager.batch(() => {
      for (const { event, value } of all)
        for (const change of applyEvent(event, value, self)) {
          if (change.kind === 'lists') lists.find(({ key }) => key === change.key)?.refresh();
          else if (change.kind === 'update') apply(cache, change.key, change.update);
          else if (change.isOf !== undefined) refetch(cache, change.key, change.isOf);
          else refetched.add(JSON.stringify(change.key));
        }
      for (const key of refetched) refetch(cache, JSON.parse(key));
    });
  }
  return {
    handle({ event, data }: LiveEvent): void {
      waiting.push({ event, value: JSON.parse(data) });
      const isBurst = performance.now() - flushedAt < burstMs;
      timer ??= setTimeout(flushInFrame, isBurst ? burstMs : pauseMs);
    },
    stop() {
      stopWaiting();
      for (const { stop } of lists) stop();
    },
  };
}

/**
 * How long the first request waits for the stream. A request that is sent after the stream is open misses no
 * events.
 */
const patienceMs = 1000;

export function LiveProvider({ self, children }: { self: string; children: ReactNode }) {
  const { transport } = useBroker();
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [standing] = useState(() => Promise.withResolvers<void>());
  const hasBegun = useRef(false);
  useEffect(() => {
    const sink = createSink(cache, self);
    const begin = () => {
      hasBegun.current = true;
      standing.resolve();
    };
    const patience = setTimeout(begin, patienceMs);
    const request = {
      url: `/subscribe?name=${encodeURIComponent(self)}&events=all`,
      events,
      onEvent: sink.handle,
      onState(next: LiveState) {
        // A retry does not change the visible state.
        setState((before) => (next === 'connecting' ? before : next));
        if (next === 'lost' || next === 'refused') begin();
        if (next === 'refused') void cache.invalidateQueries({ queryKey: keys.session });
      },
      onReady(isWhole: boolean) {
        if (!hasBegun.current) return begin();
        // The stream resumes messages by itself, but not presence and changes, so what they affect is fetched
        // again.
        refetch(cache, [], ([kind]) => !isWhole || kind !== 'thread');
      },
    };
    const close = openSteadily(transport, request, 'message');
    return () => {
      clearTimeout(patience);
      sink.stop();
      close();
    };
  }, [transport, cache, self, standing]);
  const after = useMemo<Transport>(
    () => ({ ...transport, send: (request) => standing.promise.then(() => transport.send(request)) }),
    [transport, standing],
  );
  return (
    <LiveContext value={state}>
      <BrokerProvider transport={after}>{children}</BrokerProvider>
    </LiveContext>
  );
}

export const useLiveState = (): LiveState => use(LiveContext);
