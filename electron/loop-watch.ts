/**
 * Watches whether the main thread, which serves the tray and the broker's listener, is blocked. The figures
 * are in `GET /diagnostics`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const checkIntervalMs = 10_000;
const minStallMs = 250;

export interface LoopWatchDeps {
  /** `stalledMs`: the longest block since the last check. */
  onStall(stalledMs: number): void;
}

/** Returns a function that stops watching. */
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
