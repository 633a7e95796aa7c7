/** Applies the events of the live stream to the cache. */
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import { applyEvent } from './apply-event.ts';
import { keys } from './keys.ts';
import { apply, refetch } from './make-change.ts';
import { createRefresher } from './refresher.ts';
import type { LiveEvent } from './transport.ts';

const togetherMs = 50;
/** A burst is spread over so many frames at most, so that drawing twenty messages keeps no frame waiting. */
const burstFrames = 6;
const frameMs = 16;

/**
 * Applies events in their order and in batches, because there may be a hundred messages per second. `isHidden`: whether nobody
 * sees the page.
 */
export function createLiveSink(cache: QueryClient, self: string, isHidden: () => boolean) {
  const lists = [keys.objectives, keys.inbox].map((key) => ({ key, ...createRefresher(cache, key) }));
  const waiting: { event: string; value: unknown }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The part of a burst that is applied at a time. */
  let share = 0;
  function flush(): void {
    share = Math.max(share, Math.ceil(waiting.length / burstFrames));
    // A hidden page has no frames, and its timers are slow.
    const all = waiting.splice(0, isHidden() ? waiting.length : share);
    timer = waiting.length > 0 ? setTimeout(flush, frameMs) : undefined;
    if (timer === undefined) share = 0;
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
      timer ??= setTimeout(flush, togetherMs);
    },
    stop() {
      clearTimeout(timer);
      for (const { stop } of lists) stop();
    },
  };
}
