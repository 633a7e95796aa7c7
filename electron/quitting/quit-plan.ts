/**
 * The parts of the app that end when it quits, their order, and their time limit
 * (specification/desktop.md#process-and-lifetime).
 */
import { setTimeout as after } from 'node:timers/promises';

export interface QuitReport {
  done: string[];
  /** Parts that threw, and the part that was still ending when the time was up. */
  failed: string[];
}

export interface QuitPlan {
  /** Adds a part of the app. The part that was added last ends first. */
  add(name: string, end: () => unknown): void;
  /**
   * Ends the parts one after another. Resolves after at most `maxMs`; it does not end the parts that are left
   * then.
   */
  run(): Promise<QuitReport>;
}

export const maxQuitMs = 10_000;

export function createQuitPlan(maxMs = maxQuitMs): QuitPlan {
  const parts = new AsyncDisposableStack();
  const report: QuitReport = { done: [], failed: [] };
  let current: string | null = null;
  let isOver = false;
  return {
    add(name, end) {
      parts.defer(async () => {
        if (isOver) return;
        current = name;
        try {
          await end();
          report.done.push(name);
        } catch {
          report.failed.push(name);
        }
        current = null;
      });
    },
    async run() {
      const timer = new AbortController();
      const limit = after(maxMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([parts.disposeAsync(), limit]);
      timer.abort();
      isOver = true;
      return { done: [...report.done], failed: [...report.failed, ...(current === null ? [] : [current])] };
    },
  };
}
