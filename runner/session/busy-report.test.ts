import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { createBusyReport } from './busy-report.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reports busy every 15 seconds, and nothing more while the broker has not answered the last report', async () => {
  const said: boolean[] = [];
  let answer = (): void => {};
  const busy = createBusyReport(
    (isBusy) => {
      said.push(isBusy);
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    () => undefined,
  );
  busy.set(true);
  await vi.advanceTimersByTimeAsync(0);
  answer();
  await vi.advanceTimersByTimeAsync(limits.busyHeartbeatMs);
  expect(said).toEqual([true, true]);
  await vi.advanceTimersByTimeAsync(100 * limits.busyHeartbeatMs);
  const stopped = busy.stop();
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(said).toEqual([true, true, false]);
  answer();
  await stopped;
});
