/** Watches that the thread of the tray and of the broker's listener keeps turning; the health page has the figures (`GET /diagnostics`). */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const lookEveryMs = 10_000;
const stallMs = 250;

export interface LoopWatchDeps {
  /** Milliseconds of the longest stop since the last look. */
  onStall(longestMs: number): void;
}

/** Answers the function that ends it. */
export function watchLoop({ onStall }: LoopWatchDeps): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const timer = setInterval(() => {
    const longestMs = delay.max / 1e6;
    delay.reset();
    if (longestMs > stallMs) onStall(Math.round(longestMs));
  }, lookEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}
