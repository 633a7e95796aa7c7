/** Quitting: steps in order, and an end to it in any case (design "Process and lifetime"). */
import { setTimeout as after } from 'node:timers/promises';

export interface QuitStep {
  name: string;
  run(): unknown;
}

export interface QuitReport {
  done: string[];
  /** Steps that threw, and the one that was under way when the time was over. */
  failed: string[];
}

export const quitCapMs = 10_000;

/** Each step begins when the one before has ended, well or badly. Resolves after at most `capMs` milliseconds. */
export async function runQuitPlan(steps: readonly QuitStep[], capMs = quitCapMs): Promise<QuitReport> {
  const report: QuitReport = { done: [], failed: [] };
  let current: string | null = null;
  const stop = new AbortController();
  const all = (async () => {
    for (const { name, run } of steps) {
      if (stop.signal.aborted) return;
      current = name;
      try {
        await run();
        report.done.push(name);
      } catch {
        report.failed.push(name);
      }
      current = null;
    }
  })();
  const cap = after(capMs, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([all, cap]);
  stop.abort();
  if (current !== null) report.failed.push(current);
  return { done: [...report.done], failed: [...report.failed] };
}
