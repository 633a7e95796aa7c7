/** Watches that the thread of the tray and of the broker's listener keeps turning; the health page has the figures (`GET /diagnostics`). */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const checkIntervalMs = 10_000;
const minStallMs = 250;

export interface LoopWatchDeps {
  /** `stalledMs`: the longest time without a turn since the last check. */
  onStall(stalledMs: number): void;
}

/** Answers the function that ends it. */
export function watchLoop({ onStall }: LoopWatchDeps): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const timer = setInterval(() => {
    const stalledMs = delay.max / 1e6;
    delay.reset();
    if (stalledMs > minStallMs) onStall(Math.round(stalledMs));
  }, checkIntervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}
